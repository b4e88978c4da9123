/**
 * Files that survive a power loss: each is written under another name, synced and renamed, and its folder is synced
 * too.
 */
import { type FileHandle, open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import { sha256Of } from '../digest.ts';
import { errorCode } from '../error-code.ts';
import type { Failpoint } from '../failpoint.ts';
import { makeFolder, type SyncFailed, syncFile, syncFolder, undefinedIfMissing } from './durable-file.ts';

/** A flat folder of immutable files, under names that the service made itself (T-37). */
export interface DurableFolder {
  /**
   * Stores bytes under their SHA-256, and returns it as hex after the last fsync.
   * @param whose the organization for which they are counted, where that is done (T-82)
   */
  put(bytes: Uint8Array, whose?: string): Promise<string>;
  /** Reads a file as it was stored; undefined when it is missing or damaged (T-67). */
  get(name: string): Promise<Buffer | undefined>;
  /**
   * Claims a stored file for a row that is committed within the hour; false when it is gone or damaged, and has to be
   * put again.
   */
  keep(name: string): Promise<boolean>;
}

/** The numbers of files that a pass over the files without a reference dealt with. */
export interface Collected {
  /** Files that were set aside in this pass. */
  readonly condemned: number;
  /** Files that were set aside earlier, and are referred to after all. */
  readonly restored: number;
  /** Files that were removed for good. */
  readonly removed: number;
}

/** Returns which of these files are referred to, by a fresh look into the database. */
export type FindUsed = (names: readonly string[]) => Promise<ReadonlySet<string>>;

/** A file and the commit of its row are less than this apart, because both are steps of one request. */
const maxIntakeMs = 3_600_000;
/** A file under its temporary name that is older than this was left by a process that died. */
const maxWriteMs = 86_400_000;
/** The number of files that one query looks up in the database. */
const batch = 200;

const sha256Hex = /^[0-9a-f]{64}$/;
const condemnedName = /^\.([0-9a-f]{64})\.condemned\.(\d+)$/;
const asideName = /^\.[0-9a-f]{64}\.\d+\.\d+$/;

/** Returns the digest of a stored file by the name of its entry, set aside or not; undefined for every other entry. */
export function storedName(entry: string): string | undefined {
  return sha256Hex.test(entry) ? entry : condemnedName.exec(entry)?.[1];
}

/**
 * Opens such a folder, and creates it if need be. Tests hand in `at`. After a failed sync nothing is stored any longer.
 * @param damaged is called once for each file that is not what was stored; the file stays until it is put again
 */
export async function openDurableFolder(
  path: string,
  at?: Failpoint,
  syncFailed: SyncFailed = () => {},
  damaged: (name: string) => void = () => {},
): Promise<DurableFolder> {
  await makeFolder(path);
  const synced = syncUntilFailure(syncFailed);
  const sound = soundFiles(damaged);
  let writes = 0;
  const fileOf = (name: string): string => {
    if (!sha256Hex.test(name)) throw new Error('file names are digests');
    return join(path, name);
  };
  /**
   * Opens a temporary file. A dead process may have had the same process id and left a file of the same name
   * (FAULT-01).
   */
  async function openAside(name: string): Promise<{ aside: string; file: FileHandle }> {
    for (;;) {
      const aside = join(path, `.${name}.${process.pid}.${writes++}`);
      const file = await open(aside, 'wx', 0o600).catch(undefinedIfThere);
      if (file !== undefined) return { aside, file };
    }
  }

  return {
    async put(bytes) {
      const name = await sha256Of(bytes);
      const { aside, file } = await openAside(name);
      try {
        await at?.('file.opened');
        await file.writeFile(bytes);
        await at?.('file.written');
        await synced(() => syncFile(file));
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
      sound.forget(name);
      return name;
    },
    async get(name) {
      const file = await sound.read(name, fileOf(name));
      if (file !== undefined) return file;
      const aside = await condemnedFile(path, name);
      if (aside === undefined) return undefined;
      // A file that was restored in between has its own name again.
      return (await sound.read(name, aside)) ?? sound.read(name, fileOf(name));
    },
    async keep(name) {
      if ((await sound.read(name, fileOf(name))) !== undefined) return true;
      const aside = await condemnedFile(path, name);
      return aside !== undefined && (await sound.read(name, aside)) !== undefined && (await moved(aside, fileOf(name)));
    },
  };
}

/** Runs syncs until one fails: after that nothing is promised to be on the disk any longer (INV-73). */
function syncUntilFailure(syncFailed: SyncFailed): (sync: () => Promise<unknown>) => Promise<void> {
  let failure: { readonly error: unknown } | undefined;
  return async (sync) => {
    if (failure !== undefined) throw failure.error;
    await sync().catch((error: unknown) => {
      failure = { error };
      syncFailed(error);
      throw error;
    });
  };
}

/** Reads files whose names are their digests, and reports each damaged file once. */
function soundFiles(damaged: (name: string) => void) {
  const damagedNames = new Set<string>();
  return {
    /** Reads the bytes as they were stored (T-67). A sector that cannot be read is damage, too. */
    async read(name: string, file: string): Promise<Buffer | undefined> {
      const bytes = await readFile(file).catch(unreadable);
      if (bytes === undefined || (bytes !== 'unreadable' && (await sha256Of(bytes)) === name)) return bytes;
      if (!damagedNames.has(name)) damaged(name);
      damagedNames.add(name);
      return undefined;
    },
    /** Forgets the damage of a file that was stored again. */
    forget(name: string): void {
      damagedNames.delete(name);
    },
  };
}

/**
 * Clears away files that no row refers to, in two passes at least an hour apart, so that no writer is overtaken
 * (INV-03, INV-04). The first renames a file: a writer of the same bytes makes a new file meanwhile, and readers still
 * find it. The second looks again, and puts a file back that a row refers to by then. A kill anywhere leaves work for
 * the next pass only.
 */
export async function collectFolder(path: string, findUsed: FindUsed, clock: Clock): Promise<Collected> {
  const entries = await readdir(path).catch(undefinedIfMissing);
  let [condemned, restored, removed] = [0, 0, 0];
  const aside = (entries ?? []).flatMap((entry) => {
    const [, name, since] = condemnedName.exec(entry) ?? [];
    return name !== undefined && clock.now() - Number(since) >= maxIntakeMs ? [{ entry, name }] : [];
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
    if (written !== undefined && clock.now() - written.mtimeMs > maxWriteMs)
      removed += (await isRemoved(join(path, entry))) ? 1 : 0;
  }
  if (condemned + restored + removed > 0) await syncFolder(path);
  return { condemned, restored, removed };
}

function batches<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / batch) }, (_, at) => items.slice(at * batch, (at + 1) * batch));
}

/** Finds the path of a file that was set aside; undefined for any other file. */
async function condemnedFile(path: string, name: string): Promise<string | undefined> {
  const entries = await readdir(path);
  const entry = entries.find((entry) => condemnedName.exec(entry)?.[1] === name);
  return entry && join(path, entry);
}

async function moved(from: string, to: string): Promise<boolean> {
  return (await rename(from, to).catch(falseIfMissing)) !== false;
}

async function isRemoved(file: string): Promise<boolean> {
  return (await unlink(file).catch(falseIfMissing)) !== false;
}

function unreadable(error: unknown): 'unreadable' | undefined {
  if (errorCode(error) === 'EIO') return 'unreadable';
  return undefinedIfMissing(error);
}

function falseIfMissing(error: unknown): false {
  undefinedIfMissing(error);
  return false;
}

function undefinedIfThere(error: unknown): undefined {
  if (errorCode(error) === 'EEXIST') return undefined;
  throw error;
}
