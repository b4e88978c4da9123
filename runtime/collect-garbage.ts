/** Asks the engine for a collection, which it puts off for as long as little is allocated. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options?: { readonly type: 'major'; readonly flavor: 'last-resort' }) => void;

let found: Collect | undefined;

function engine(): Collect {
  if (found === undefined) {
    setFlagsFromString('--expose-gc'); // Contexts that are made from now on have the function.
    found = runInNewContext('gc') as Collect;
    setFlagsFromString('--no-expose-gc');
  }
  return found;
}

/** Frees what nobody holds any longer, buffers too. It holds up the process for as long as it takes: some 0.1 s. */
export function collectGarbage(): void {
  engine()();
}

/** The same, and gives back the room that the engine keeps for the next objects: 30 MB after a start. */
export function collectEverything(): void {
  engine()({ type: 'major', flavor: 'last-resort' });
}
