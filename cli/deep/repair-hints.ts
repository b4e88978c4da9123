/** The operator's next steps about damage, with the backup that helps. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../../api/service/settings/settings.ts';
import { readBackupName } from '../../api/status/last-backup.ts';
import { backupsFolder } from '../backup/backup-place.ts';

/** Finds the newest backup into which no damaged file was copied; undefined without one. */
async function lastSound(settings: Settings): Promise<string | undefined> {
  const folder = backupsFolder(settings);
  const found = (await readdir(folder).catch(() => [])).flatMap((name) => {
    const read = readBackupName(name);
    return read?.isSound === true ? [{ name, madeAt: read.madeAt }] : [];
  });
  const newest = found.toSorted((a, b) => b.madeAt - a.madeAt)[0];
  return newest === undefined ? undefined : join(folder, newest.name);
}

/** Says what to do about damaged pages. Rows have nothing by which single ones could be replaced. */
export async function restoreHint(settings: Settings): Promise<string> {
  const backup = await lastSound(settings);
  const look = 'look at the disk first, and keep a copy of the data folder';
  if (settings.DATABASE_URL !== undefined) {
    return `${look}; let PostgreSQL's own backups, or ${backup ?? 'another backup'}, give the tables back (docs/backup.md)`;
  }
  if (settings.PAPERGATE_ARCHIVE !== undefined) {
    return `${look}; then stop the service, move the data folder away and run papergate backup restore, which brings the newest moment of the archive back, and papergate doctor --deep: where that is damaged, too, restore an earlier one with --at${backup === undefined ? '' : `, or ${backup}`}`;
  }
  if (backup === undefined) {
    return `${look}; no sound backup is in the folder of backups: restore another one (docs/backup.md)`;
  }
  return `${look}; then stop the service, move the data folder away and try papergate backup check and restore with ${backup}: what came after it is lost`;
}

/** Says what to do about damaged or missing files. Each has its digest as its name, so that the right bytes can come from anywhere. */
export async function filesHint(settings: Settings): Promise<string> {
  const backup = await lastSound(settings);
  const again = 'drawn pictures are made again; upload what people sent once more';
  if (backup === undefined) return `${again}, or put the files back from a backup under the same names`;
  const open = backup.endsWith('.age') ? `age --decrypt ${backup} | tar -x -f -` : `tar -x -f ${backup}`;
  return `${again}, or take the files from the last sound backup: ${open} -C ${settings.PAPERGATE_DATA} AREA/DIGEST`;
}
