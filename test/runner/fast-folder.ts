/** Where tests keep what they write: in memory where there is enough, for waiting for a disk is a tenth of their time. */
import { accessSync, chmodSync, constants, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';

const memoryFolder = '/dev/shm';
/** The space that a whole run writes, several times over, and the memory that its processes need besides, in bytes. */
const neededRoom = 2 * 2 ** 30;
const neededMemory = 6 * 2 ** 30;

/** Whether files may go to memory here: Linux, no other folder asked for, and enough of both. */
function hasRoom(): boolean {
  if ((process.env.TMPDIR ?? '') !== '') return false;
  try {
    accessSync(memoryFolder, constants.W_OK);
    const { bavail, bsize } = statfsSync(memoryFolder);
    return bavail * bsize >= neededRoom && freemem() >= neededMemory;
  } catch {
    return false;
  }
}

/** Makes a folder in memory the temporary one of this process and of those that it starts, until it ends. */
export function useFastFolder(): void {
  if (!hasRoom()) return;
  const folder = mkdtempSync(join(memoryFolder, 'papergate-tests-'));
  // As the system's own: databases and browsers run there as other users.
  chmodSync(folder, 0o1777);
  process.env.TMPDIR = folder;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
}
