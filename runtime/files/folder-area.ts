/** An area of files in the data folder, as a move reads and writes it. */
import { opendir } from 'node:fs/promises';
import { type DurableFolder, openDurableFolder, storedName } from '../disk/durable-folder.ts';

/** Opens a folder, and lists its files. */
export async function openFolderArea(path: string): Promise<DurableFolder & { readonly names: AsyncIterable<string> }> {
  const folder = await openDurableFolder(path);
  return { ...folder, names: namesIn(path) };
}

async function* namesIn(path: string): AsyncIterable<string> {
  const told = new Set<string>();
  for await (const { name: entry } of await opendir(path)) {
    const name = storedName(entry);
    if (name === undefined || told.has(name)) continue;
    told.add(name);
    yield name;
  }
}
