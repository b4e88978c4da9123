/** Files that survive a power loss: written aside, synced, renamed, and the folder synced too (INV-01, INV-02). */
import { createHash } from 'node:crypto';
import { type FileHandle, open, readFile, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, syncFolder, undefinedIfMissing } from './durable-file.ts';
import type { Failpoint } from './failpoint.ts';

/** A flat folder of immutable files under names the service made itself (T-37). */
export interface DurableFolder {
  /** Stores bytes under the SHA-256 they have, and returns it as hex. Returns after the last fsync. */
  put(bytes: Uint8Array): Promise<string>;
  /** Reads a file whole, or undefined when there is none. */
  get(name: string): Promise<Buffer | undefined>;
  /** Removes a file; one that is gone is fine. */
  remove(name: string): Promise<void>;
}

const sha256Hex = /^[0-9a-f]{64}$/;

/** Opens (and creates) such a folder. `at` is handed in by tests. */
export async function openDurableFolder(path: string, at?: Failpoint): Promise<DurableFolder> {
  await makeFolder(path);
  let writes = 0;
  const fileOf = (name: string): string => {
    if (!sha256Hex.test(name)) throw new Error('file names are digests');
    return join(path, name);
  };
  /** A dead process may have had this very process id, and left a file of this very name (FI-01). */
  async function openAside(name: string): Promise<{ aside: string; file: FileHandle }> {
    for (;;) {
      const aside = join(path, `.${name}.${process.pid}.${writes++}`);
      const file = await open(aside, 'wx', 0o600).catch(undefinedIfThere);
      if (file !== undefined) return { aside, file };
    }
  }

  return {
    async put(bytes) {
      const name = createHash('sha256').update(bytes).digest('hex');
      const { aside, file } = await openAside(name);
      try {
        await at?.('file.opened');
        await file.writeFile(bytes);
        await at?.('file.written');
        await file.sync();
        await at?.('file.synced');
      } catch (error) {
        await file.close();
        await unlink(aside);
        throw error;
      }
      await file.close();
      await rename(aside, fileOf(name));
      await at?.('file.renamed');
      await syncFolder(path);
      await at?.('file.durable');
      return name;
    },
    get: (name) => readFile(fileOf(name)).catch(undefinedIfMissing),
    remove: (name) => unlink(fileOf(name)).catch(undefinedIfMissing),
  };
}

function undefinedIfThere(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return undefined;
  throw error;
}
