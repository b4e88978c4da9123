/** Files that survive a power loss: written aside, synced, renamed, and the folder synced too (INV-01, INV-02). */
import { createHash } from 'node:crypto';
import { access, type FileHandle, open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from './clock.ts';
import { makeFolder, type SyncFailed, syncFolder, undefinedIfMissing } from './durable-file.ts';
import type { Failpoint } from './failpoint.ts';

/** A flat folder of immutable files under names the service made itself (T-37). */
export interface DurableFolder {
  /** Stores bytes under the SHA-256 they have, and returns it as hex. Returns after the last fsync. */
  put(bytes: Uint8Array): Promise<string>;
  /** Reads a file whole, or undefined when there is none. */
  get(name: string): Promise<Buffer | undefined>;
  /** Claims a stored file for a row that is committed within the hour; false when it is gone and has to be put anew. */
  keep(name: string): Promise<boolean>;
}

/** What became of files that nobody refers to. */
export interface Collected {
  /** Set aside in this pass. */
  readonly condemned: number;
  /** Set aside earlier, and referred to after all. */
  readonly restored: number;
  /** Removed for good. */
  readonly removed: number;
}

/** Tells which of these files are referred to, by a fresh look into the database. */
export type FindUsed = (names: readonly string[]) => Promise<ReadonlySet<string>>;

/** Between a file and the commit of its row lies less than this: both are steps of one request. */
const longestIntakeMs = 3_600_000;
/** A file written aside for longer was left by a process that died. */
const longestWriteMs = 86_400_000;
/** Files judged by one look into the database. */
const batch = 200;

const sha256Hex = /^[0-9a-f]{64}$/;
const condemnedName = /^\.([0-9a-f]{64})\.condemned\.(\d+)$/;
const asideName = /^\.[0-9a-f]{64}\.\d+\.\d+$/;

/** Opens (and creates) such a folder. `at` is handed in by tests. After a sync that failed nothing is stored any more. */
export async function openDurableFolder(
  path: string,
  at?: Failpoint,
  syncFailed: SyncFailed = () => {},
): Promise<DurableFolder> {
  await makeFolder(path);
  let writes = 0;
  let failure: { readonly error: unknown } | undefined;
  /** Runs a sync, the first one that fails being the last (INV-73). */
  async function synced(sync: () => Promise<void>): Promise<void> {
    if (failure !== undefined) throw failure.error;
    await sync().catch((error: unknown) => {
      failure = { error };
      syncFailed(error);
      throw error;
    });
  }
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
        await synced(() => file.sync());
        await at?.('file.synced');
      } catch (error) {
        await file.close();
        await unlink(aside);
        throw error;
      }
      await file.close();
      await rename(aside, fileOf(name));
      await at?.('file.renamed');
      await synced(() => syncFolder(path));
      await at?.('file.durable');
      return name;
    },
    async get(name) {
      const read = (file: string) => readFile(file).catch(undefinedIfMissing);
      const file = await read(fileOf(name));
      if (file !== undefined) return file;
      const aside = await condemnedFile(path, name);
      // Restored in between, it stands under its own name again.
      return (aside === undefined ? undefined : await read(aside)) ?? read(fileOf(name));
    },
    async keep(name) {
      if (await isThere(fileOf(name))) return true;
      const aside = await condemnedFile(path, name);
      return aside !== undefined && (await moved(aside, fileOf(name)));
    },
  };
}

/**
 * Clears away files that no row refers to, in two passes at least an hour apart, so that no writer is overtaken (INV-03,
 * INV-04). The first renames a file: whoever stores the same bytes meanwhile makes a new one, readers still find it. The
 * second looks again, and puts back what a row came to refer to. A kill anywhere leaves work for the next pass only.
 */
export async function collectFiles(path: string, findUsed: FindUsed, clock: Clock): Promise<Collected> {
  const entries = await readdir(path).catch(undefinedIfMissing);
  let [condemned, restored, removed] = [0, 0, 0];
  const aside = (entries ?? []).flatMap((entry) => {
    const [, name, since] = condemnedName.exec(entry) ?? [];
    return name !== undefined && clock.now() - Number(since) >= longestIntakeMs ? [{ entry, name }] : [];
  });
  for (const some of batches(aside)) {
    const used = await findUsed(some.map(({ name }) => name));
    for (const { entry, name } of some) {
      const file = join(path, entry);
      if (!used.has(name)) removed += (await isRemoved(file)) ? 1 : 0;
      else restored += (await moved(file, join(path, name))) ? 1 : 0;
    }
  }
  for (const some of batches((entries ?? []).filter((entry) => sha256Hex.test(entry)))) {
    const used = await findUsed(some);
    for (const name of some) {
      if (used.has(name)) continue;
      // The hour begins here and not with the pass, which may be a long one.
      condemned += (await moved(join(path, name), join(path, `.${name}.condemned.${clock.now()}`))) ? 1 : 0;
    }
  }
  for (const entry of (entries ?? []).filter((entry) => asideName.test(entry))) {
    const written = await stat(join(path, entry)).catch(undefinedIfMissing);
    if (written !== undefined && clock.now() - written.mtimeMs > longestWriteMs)
      removed += (await isRemoved(join(path, entry))) ? 1 : 0;
  }
  if (condemned + restored + removed > 0) await syncFolder(path);
  return { condemned, restored, removed };
}

function batches<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / batch) }, (_, at) => items.slice(at * batch, (at + 1) * batch));
}

/** Where a file stands that was set aside, if it was. */
async function condemnedFile(path: string, name: string): Promise<string | undefined> {
  const entries = await readdir(path);
  const entry = entries.find((entry) => condemnedName.exec(entry)?.[1] === name);
  return entry && join(path, entry);
}

async function isThere(file: string): Promise<boolean> {
  return (await access(file).catch(falseIfMissing)) !== false;
}

async function moved(from: string, to: string): Promise<boolean> {
  return (await rename(from, to).catch(falseIfMissing)) !== false;
}

async function isRemoved(file: string): Promise<boolean> {
  return (await unlink(file).catch(falseIfMissing)) !== false;
}

function falseIfMissing(error: unknown): false {
  undefinedIfMissing(error);
  return false;
}

function undefinedIfThere(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return undefined;
  throw error;
}
