/** Copies files from one place to another, each held against its digest at both ends. What is there already stays. */

import { refuse } from '../../reasons/refusals.ts';
import type { DurableFolder } from '../disk/durable-folder.ts';

/** The outcome for the files of an area. */
export interface CopiedFiles {
  readonly copied: number;
  /** Files that were there already, whole. */
  readonly there: number;
  /** Files that are damaged or gone where they are kept now. */
  readonly damaged: readonly string[];
}

/** Copies the files of an area. */
export async function copyFiles(
  from: Pick<DurableFolder, 'get'> & { readonly names: AsyncIterable<string> },
  to: DurableFolder,
): Promise<CopiedFiles> {
  let [copied, there] = [0, 0];
  const damaged: string[] = [];
  for await (const name of from.names) {
    if (await to.keep(name)) {
      there++;
      continue;
    }
    const bytes = await from.get(name);
    if (bytes === undefined) {
      damaged.push(name);
      continue;
    }
    await to.put(bytes);
    if (!(await to.keep(name))) {
      throw refuse('bad-configuration', {
        message: `a file that was just stored is not given back whole: ${name}`,
        hint: 'look at the disk or the store that it was copied to, and begin again',
      });
    }
    copied++;
  }
  return { copied, there, damaged };
}
