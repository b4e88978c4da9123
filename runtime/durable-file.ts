/**
 * Files and folders that survive a power loss once the call has returned: a name is safe when its folder was synced.
 */
import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { errorCode } from './error-code.ts';

/**
 * Is called when a sync failed. The kernel forgets what it could not write, so that a second sync may succeed and
 * proves nothing: the process has to end and start anew from what the disk really holds (INV-73).
 */
export type SyncFailed = (error: unknown) => void;

/** Syncs the names of the files in a folder. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
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
    await syncFolder(dirname(made)).catch(unlessForeign);
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

/** Accepts that a folder above may not be read: then it belongs to somebody else, and so do the folders in it. */
function unlessForeign(error: unknown): void {
  if (errorCode(error) !== 'EACCES') throw error;
}

/** Writes a small file as a whole, for its owner alone: readers get the old text or the new one. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`;
  try {
    await writeFile(aside, text, { mode: 0o600, flush: true });
    await rename(aside, path);
  } catch (error) {
    await unlink(aside).catch(() => undefined); // What is left of it is of no use; the first error tells what is wrong.
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
    await writeFile(aside, create(), { mode: 0o600, flush: true });
    await link(aside, path).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error;
    });
    await unlink(aside);
  }
  // A process that finds the file may come right after one that was killed before it synced the name.
  await syncFolder(dirname(path));
  return stored ?? (await readFile(path, 'utf8'));
}

/** Tells whether there is a file that is not empty, or a folder with a file in it. */
export async function holdsSomething(path: string): Promise<boolean> {
  const found = await stat(path).catch(undefinedIfMissing);
  return found?.isDirectory() === true ? (await readdir(path)).length > 0 : (found?.size ?? 0) > 0;
}

/** Turns the error of a missing file into undefined. */
export function undefinedIfMissing(error: unknown): undefined {
  if (errorCode(error) === 'ENOENT') return undefined;
  throw error;
}
