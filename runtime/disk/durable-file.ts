/**
 * Files and folders that survive a power loss once the call has returned: a name is safe when its folder was synced. Shares,
 * sticks and some file systems of user space cannot do all that a disk can (INV-73): what they cannot is left out.
 */
import { randomUUID } from 'node:crypto';
import { chmod, type FileHandle, link, mkdir, open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { errorCode } from '../error-code.ts';

/**
 * Is called when a sync failed. The kernel forgets what it could not write, so that a second sync may succeed and
 * proves nothing: the process has to end and start again from what the disk really holds (INV-73).
 */
export type SyncFailed = (error: unknown) => void;

/** The codes by which a file system reports that it does not support something, as opposed to failing at it. */
const cannot: ReadonlySet<string> = new Set(['EINVAL', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP']);
/** The same for folders: some file systems want them opened for writing, or let nobody open them. */
const cannotFolder: ReadonlySet<string> = new Set([...cannot, 'EACCES', 'EBADF', 'EISDIR', 'EPERM']);
/** The same for a file system without links or modes. */
const cannotName: ReadonlySet<string> = new Set([...cannot, 'EACCES', 'EMLINK', 'EPERM', 'EROFS', 'EXDEV']);

/** Returns a handler that answers errors with these codes by false, and throws every other one. */
const unless =
  (codes: ReadonlySet<string>) =>
  (error: unknown): false => {
    if (!codes.has(errorCode(error))) throw error;
    return false;
  };

/** Syncs the bytes of a file, where its file system can. */
export async function syncFile(file: Pick<FileHandle, 'sync'>): Promise<void> {
  await file.sync().catch(unless(cannot));
}

/**
 * Syncs the names of the files in a folder.
 * @returns false where the file system cannot, as on shares: a power loss may then take the newest names back
 */
export async function syncFolder(path: string): Promise<boolean> {
  const sync = async (): Promise<true> => {
    const folder = await open(path, 'r');
    await folder.sync().finally(() => folder.close());
    return true;
  };
  return sync().catch(unless(cannotFolder));
}

/** The loss to expect where the data folder's file system cannot sync folders, and the remedy. */
export const unsyncedDataFolder =
  'its file system cannot sync folders: after a power loss pictures and keys that were stored just before may be gone';
export const unsyncedDataHint = 'move the data folder to a disk of this machine; a share is for backups';

/** Keeps a file or a folder from others, where its file system has modes and it belongs to this user. */
export async function keepFromOthers(path: string, mode: number): Promise<void> {
  await chmod(path, mode).catch(unless(cannotName));
}

/** Writes a new file for its owner alone, and syncs its bytes. */
export async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await syncFile(file);
  } finally {
    await file.close();
  }
}

/**
 * Makes a folder for its owner alone, with those above it. An existing folder is synced too: it may be from right
 * before a kill.
 */
export async function makeFolder(path: string): Promise<void> {
  const whole = resolve(path);
  const first = (await makeMissing(whole)) ?? whole;
  for (let made = whole; ; made = dirname(made)) {
    // A folder above that may not be read belongs to somebody else, and so do the folders in it.
    await syncFolder(dirname(made));
    if (made === first) return;
  }
}

/**
 * Makes missing folders, and returns the topmost of them. Node's own recursion never ends where none can be made, as in
 * /proc.
 */
async function makeMissing(path: string): Promise<string | undefined> {
  const isFolder = async (): Promise<boolean> => (await stat(path).catch(undefinedIfMissing))?.isDirectory() === true;
  if (await isFolder()) return undefined;
  const above = dirname(path) === path ? undefined : await makeMissing(dirname(path));
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have been faster.
    if (!(await isFolder())) throw error;
  }
  return above ?? path;
}

/** Writes a small file as a whole, for its owner alone: readers get the old text or the new one. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await writeSynced(aside, text);
    await rename(aside, path);
  } catch (error) {
    await unlink(aside).catch(() => undefined); // What is left of it is of no use; the first error says what is wrong.
    throw error;
  }
  await syncFolder(dirname(path));
}

/**
 * Reads a small file, or makes it. When several processes start at once, one of them makes it and all return its text.
 */
export async function readOrCreate(path: string, create: () => string): Promise<string> {
  await makeFolder(dirname(path));
  const stored = await readFile(path, 'utf8').catch(undefinedIfMissing);
  if (stored === undefined) {
    const aside = `${path}.${randomUUID()}`;
    await writeSynced(aside, create());
    await nameOnce(aside, path);
  }
  // A process that finds the file may come right after one that was killed before it synced the name.
  await syncFolder(dirname(path));
  return stored ?? readFile(path, 'utf8');
}

/** Gives a file its name, unless another file has it by then. */
async function nameOnce(aside: string, path: string): Promise<void> {
  const isNamed = await link(aside, path).then(
    () => true,
    (error: unknown) => errorCode(error) === 'EEXIST' || unless(cannotName)(error),
  );
  // Without links, of two processes that come this far at once the later one counts.
  if (!isNamed && (await stat(path).catch(undefinedIfMissing)) === undefined) await rename(aside, path);
  else await unlink(aside);
}

/** Returns whether there is a file that is not empty, or a folder with a file in it. */
export async function holdsSomething(path: string): Promise<boolean> {
  const found = await stat(path).catch(undefinedIfMissing);
  return found?.isDirectory() === true ? (await readdir(path)).length > 0 : (found?.size ?? 0) > 0;
}

/** Turns the error of a missing file into undefined. */
export function undefinedIfMissing(error: unknown): undefined {
  if (errorCode(error) === 'ENOENT') return undefined;
  throw error;
}
