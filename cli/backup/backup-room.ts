/** The room that a backup needs. One on the disk of the service leaves some, since a full disk stops the service itself. */
import { stat, statfs } from 'node:fs/promises';
import { refuse } from '../../reasons/refusals.ts';

const mebibyte = 1024 * 1024;
/** Above the 200 MiB below which the operator is notified, and the reserves of those who write. */
const leftForService = 512 * mebibyte;
/** On a smaller disk an eighth is left. */
const partOfDisk = 8;

/** Whether two folders that are there lie on one disk. */
export async function areOnOneDisk(one: string, other: string): Promise<boolean> {
  return (await stat(one)).dev === (await stat(other)).dev;
}

/**
 * Makes sure that a backup fits into its folder, and on the disk of the service leaves room for it.
 * @param bytes those of all files that go into it
 * @throws Refusal `bad-configuration`
 */
export async function requireRoomForBackup(dataFolder: string, folder: string, bytes: number): Promise<void> {
  const { bavail, blocks, bsize } = await statfs(folder);
  // Some shares state no size.
  if (blocks === 0) return;
  const free = bavail * bsize;
  const isOwn = await areOnOneDisk(dataFolder, folder);
  const left = isOwn ? Math.min(leftForService, Math.floor((blocks * bsize) / partOfDisk)) : 0;
  if (free >= bytes + left) return;
  const needed = `the backup needs ${Math.ceil(bytes / mebibyte)} MiB`;
  const had = `${Math.floor(free / mebibyte)} MiB are free`;
  throw refuse('bad-configuration', {
    message: isOwn
      ? `${folder}: ${needed} and has to leave ${Math.ceil(left / mebibyte)} MiB for the service on the same disk, and ${had}`
      : `${folder}: the disk is full: ${needed}, and ${had}`,
    hint: 'make room on it, name a folder on another disk in PAPERGATE_BACKUPS, or keep fewer by PAPERGATE_BACKUP_KEEP',
  });
}
