/** Where backups lie, and what they are called. */
import { join } from 'node:path';
import type { Settings } from '../../api/settings.ts';

/** The folder of backups that are given no other place. */
export function backupsFolder({ PAPERGATE_BACKUPS: folder, PAPERGATE_DATA: data }: Settings): string {
  return folder ?? join(data, 'backups');
}

/** Names a backup after its time, so that names sort as times do. */
export function backupName(prefix: string, now: number, isEncrypted: boolean): string {
  const time = new Date(now)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-');
  return `${prefix}-${time}.tar${isEncrypted ? '.age' : ''}`;
}
