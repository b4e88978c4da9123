/** Examines for `papergate doctor` whether there are backups, and whether the next one has a place. */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { keptBackups } from '../../api/service/settings/kept-backups.ts';
import { type FoundBackups, findBackups, oldBackupMs } from '../../api/status/last-backup.ts';
import { isoTime } from '../../runtime/clock.ts';
import { refusedFile } from '../../runtime/disk/refuse-file.ts';
import { errorCode } from '../../runtime/error-code.ts';
import { backupsFolder } from '../backup/backup-place.ts';
import type { Diagnosis } from './doctor-certificates.ts';

const name = 'backups';

/**
 * Says whether nightly backups are on, how many there are, when the last backup was made, and whether its folder can be
 * written by this user.
 * @param env the environment of the service
 * @param dataFolder the data folder that it names
 */
export async function judgeBackups(
  env: Readonly<Record<string, string | undefined>>,
  dataFolder: string,
  now: number,
): Promise<Diagnosis> {
  const keep = keptBackups({
    PAPERGATE_BACKUP_KEEP: env.PAPERGATE_BACKUP_KEEP ? Number(env.PAPERGATE_BACKUP_KEEP) : undefined,
    PAPERGATE_NODE_NAME: env.PAPERGATE_NODE_NAME || undefined,
  });
  const folder = backupsFolder({ PAPERGATE_DATA: dataFolder, PAPERGATE_BACKUPS: env.PAPERGATE_BACKUPS || undefined });
  try {
    const found = await findBackups(folder);
    if (keep > 0) await access(folder, constants.W_OK | constants.X_OK);
    return judgeAge({ keep, folder, found, onPostgres: Boolean(env.DATABASE_URL), now });
  } catch (error) {
    const refused = refusedFile(error, folder, env.PAPERGATE_BACKUPS && 'PAPERGATE_BACKUPS');
    if (refused === undefined) throw error;
    const isMissing = errorCode(error) === 'ENOENT';
    const message = isMissing ? `nightly backups are on, and ${folder} is not there` : refused.message;
    const hint = isMissing ? 'start the service again: it makes the folder, or its log says why not' : refused.hint;
    // A service that was not started since backups are on by default has no folder for them yet.
    const isFault = keep > 0 && (!isMissing || env.PAPERGATE_BACKUP_KEEP !== undefined);
    return { name, result: isFault ? 'fail' : 'warn', message, ...(hint !== undefined && { hint }) };
  }
}

interface Looked {
  readonly keep: number;
  readonly folder: string;
  readonly found: FoundBackups;
  readonly onPostgres: boolean;
  readonly now: number;
}

function judgeAge({ keep, folder, found: { nightly, lastAt }, onPostgres, now }: Looked): Diagnosis {
  const kept = keep > 0 ? `nightly backups are on, ${nightly} of ${keep} are there` : 'nightly backups are off';
  const last = lastAt === undefined ? `no backup is in ${folder}` : `the last in ${folder} is of ${isoTime(lastAt)}`;
  const message = `${kept}; ${last}`;
  if (lastAt !== undefined && now - lastAt <= oldBackupMs) return { name, result: 'ok', message };
  if (keep === 0 && onPostgres && lastAt === undefined) {
    const others = "the database's own have to be made, and copies of the keys in the data folder";
    return { name, result: 'ok', message: `${message}: ${others}` };
  }
  const later =
    lastAt === undefined
      ? 'the service makes its first a quarter of an hour after a start'
      : 'the log of the service has each night';
  const hint =
    keep > 0
      ? `papergate backup create makes one now, or says why not; ${later}`
      : 'leave out PAPERGATE_BACKUP_KEEP=0, or run papergate backup create from a timer; it makes one now';
  return { name, result: 'warn', message, hint };
}
