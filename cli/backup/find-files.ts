/** Finds what belongs into a backup besides the database: files that cannot be made again, keys and the authority. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { folderOf } from '../../api/service/open/service-context.ts';
import { secretFile } from '../../api/service/open/service-keys.ts';
import { ownerFile } from '../../runtime/database/service-facts.ts';
import { undefinedIfMissing } from '../../runtime/disk/durable-file.ts';
import { storedName } from '../../runtime/disk/durable-folder.ts';
import { fileAreas } from '../../runtime/files/file-areas.ts';
import type { BackedUpFile } from './manifest.ts';

/** A file, and where its bytes are. */
export interface FoundFile extends BackedUpFile {
  readonly path: string;
}

/** The keys of a data folder, and what it remembers of its database. */
export const backedUpKeys = [secretFile, 'token-issuer.key', ownerFile];

/** Finds and measures the files of a data folder. A file that is removed meanwhile is not named by any row. */
export async function findFiles(dataFolder: string): Promise<readonly FoundFile[]> {
  const paths = new Map(backedUpKeys.map((name) => [name, join(dataFolder, name)]));
  for (const name of await entriesOf(join(dataFolder, 'authority'))) {
    if (!name.startsWith('.')) paths.set(`authority/${name}`, join(dataFolder, 'authority', name));
  }
  for (const area of fileAreas) {
    const folder = folderOf[area](dataFolder);
    for (const entry of await entriesOf(folder)) {
      const name = storedName(entry);
      // One that was set aside stands under its digest: a row may name it again.
      if (name !== undefined) paths.set(`${area}/${name}`, join(folder, entry));
    }
  }
  const found: FoundFile[] = [];
  for (const [name, path] of [...paths].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const file = await measureFile(name, path).catch(undefinedIfMissing);
    if (file !== undefined) found.push(file);
  }
  return found;
}

/** Reads a file for its size and digest. */
export async function measureFile(name: string, path: string): Promise<FoundFile> {
  const hash = createHash('sha256');
  for await (const part of createReadStream(path)) hash.update(part);
  return { name, path, size: (await stat(path)).size, sha256: hash.digest('hex') };
}

/** Names the stored files that were damaged before they were copied: their name is the digest of what they were. */
export function damagedFiles(files: readonly BackedUpFile[]): readonly string[] {
  return files.flatMap(({ name, sha256 }) => (/\/[0-9a-f]{64}$/.test(name) && !name.endsWith(sha256) ? [name] : []));
}

const entriesOf = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder).catch(undefinedIfMissing)) ?? [];
