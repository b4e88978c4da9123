/** Where backups lie, and what they are called. */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../../api/service/settings/settings.ts';
import type { BackupPrefix } from '../../api/status/last-backup.ts';
import { makeFolder, syncFolder, writeSynced } from '../../runtime/disk/durable-file.ts';
import { refusedFile } from '../../runtime/disk/refuse-file.ts';

/** Settings that determine where backups lie. */
export type PlaceSettings = Pick<Settings, 'PAPERGATE_BACKUPS' | 'PAPERGATE_DATA'>;

/** The folder of backups that are given no other place. */
export function backupsFolder({ PAPERGATE_BACKUPS: folder, PAPERGATE_DATA: data }: PlaceSettings): string {
  return folder ?? join(data, 'backups');
}

/** The beginning of the names of folders in which backups are checked. */
export const checkPrefix = 'papergate-backup-';

/** Names a backup after its time, so that names sort as times do. */
export function backupName(prefix: BackupPrefix, now: number, isEncrypted: boolean): string {
  const time = new Date(now)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-');
  return `${prefix}-${time}.tar${isEncrypted ? '.age' : ''}`;
}

/** Names a backup into which files were copied that had been damaged before. */
export const damagedName = (name: string): string => name.replace(/\.tar(?=$|\.age$)/, '.damaged.tar');

/** The loss to expect in a folder whose file system cannot sync names. */
export const unsyncedFolder =
  'its file system, a share or a stick, cannot sync folders: when it loses its power, the newest backup may be gone though it was reported as made';

/**
 * Makes the folder of backups where it is missing, and writes a file there, as a backup would.
 * @returns whether its file system can sync names: where it cannot, a power loss may take the newest backup
 * @throws Refusal `bad-configuration` where either fails
 */
export async function tryBackupsFolder(settings: PlaceSettings): Promise<boolean> {
  const folder = backupsFolder(settings);
  const tried = join(folder, `.try-${randomUUID()}`);
  try {
    await makeFolder(folder);
    await writeSynced(tried, 'papergate');
    return await syncFolder(folder);
  } catch (error) {
    throw refusedFile(error, folder, settings.PAPERGATE_BACKUPS && 'PAPERGATE_BACKUPS') ?? error;
  } finally {
    await rm(tried, { force: true }).catch(() => {});
  }
}
