/** Asks the engine for a collection, which it puts off for as long as little is allocated. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

/** Frees what nobody holds any more, buffers too. It holds up the process for as long as it takes: some 0.1 s. */
export function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc'); // Contexts that are made from now on have the function.
    collect = runInNewContext('gc') as () => void;
    setFlagsFromString('--no-expose-gc');
  }
  collect();
}
