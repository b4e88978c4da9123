/** A backup each night, of which so many are kept. */

import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { OutageKind } from '../../api/alerts/outage-kinds.ts';
import { keptBackups } from '../../api/service/settings/kept-backups.ts';
import type { Settings } from '../../api/service/settings/settings.ts';
import { findBackups, oldBackupMs, readBackupName } from '../../api/status/last-backup.ts';
import type { ServiceMeter } from '../../api/status/measures.ts';
import { Refusal } from '../../reasons/refusals.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { syncFolder, undefinedIfMissing } from '../../runtime/disk/durable-file.ts';
import { inBackground } from '../../runtime/in-background.ts';
import type { Logger } from '../../runtime/logger.ts';
import { followPlan } from '../../runtime/wall-plan.ts';
import { backupName, backupsFolder, damagedName, tryBackupsFolder, unsyncedFolder } from './backup-place.ts';
import { areOnOneDisk } from './backup-room.ts';

/** Before the clean-up of old rows, which removes files. */
const backupHour = '37 2 * * *';
/** A full hour would be everybody's. */
const ageHours = '23 * * * *';
const unfinished = /^\.nightly-.*\.part$/;
const dayMs = 86_400_000;

export interface NightlyDeps extends Pick<CommonDeps, 'clock' | 'logger'> {
  readonly settings: Settings;
  readonly meter: ServiceMeter | undefined;
  /** Runs `papergate` with these arguments to its end, and returns its output; throws its message where it failed. */
  run(args: readonly string[]): Promise<string>;
  /** Has the operator notified that something of backups is wrong, and that it no longer is. */
  tell(kind: BackupOutage, isSo: boolean): Promise<void>;
}

/** A night without a backup; the last backup is older than two days. */
export type BackupOutage = Extract<OutageKind, 'backup-failed' | 'backup-old'>;

/**
 * Tries the folder at the start, and makes a backup each night while it is not stopped; one that was missed, by a machine
 * that was off or asleep, is made a little after it is there again. With `PAPERGATE_BACKUP_KEEP=0` there is none.
 */
export function startNightlyBackups(deps: NightlyDeps): { stop(): void } {
  const { settings, clock, logger } = deps;
  if (keptBackups(settings) === 0) {
    if (settings.PAPERGATE_BACKUP_KEEP === undefined) {
      const hint = 'run papergate backup create on one of the nodes from a timer';
      logger.info({ hint }, 'one of several nodes makes no nightly backups');
    }
    return { stop() {} };
  }
  const run = async (): Promise<void> => deps.tell('backup-failed', !(await backUp(deps)));
  const plans: { stop(): void }[] = [];
  const startedAt = clock.now();
  let isStopped = false;
  inBackground(logger, 'try the folder of the nightly backups', async () => {
    await tryNightlyFolder(deps);
    const lastAt = await lastNightlyAt(backupsFolder(settings));
    if (lastAt === undefined) await introduceBackups(deps);
    if (isStopped) return;
    const look = (): Promise<void> => tellAge(deps, startedAt);
    plans.push(
      followPlan({ line: backupHour, task: 'make the nightly backup', lastAt: lastAt ?? 0, run }, deps),
      followPlan({ line: ageHours, task: 'look for the last backup', lastAt: startedAt, run: look }, deps),
    );
  });
  return {
    stop() {
      isStopped = true;
      for (const plan of plans) plan.stop();
    },
  };
}

/** Says in the log, before the first backup, where backups will lie. */
export async function introduceBackups({ settings, logger }: Pick<NightlyDeps, 'settings' | 'logger'>): Promise<void> {
  const folder = backupsFolder(settings);
  const isOwnDisk = await areOnOneDisk(settings.PAPERGATE_DATA, folder).catch(() => false);
  const better = isOwnDisk
    ? 'they are on the disk of the service, and lost with it: name a folder on another one, PAPERGATE_BACKUPS; '
    : '';
  const secret = settings.PAPERGATE_BACKUP_KEY === undefined ? '; PAPERGATE_BACKUP_KEY encrypts them' : '';
  const hint = `${better}PAPERGATE_BACKUP_KEEP=0 makes none${secret}`;
  logger.info({ hint }, `nightly backups are on: the newest ${keptBackups(settings)} are kept in ${folder}`);
}

/**
 * Has the operator notified where the last sound backup is older than two days, or there is none after two days of this
 * process. A folder that cannot be read has none.
 */
export async function tellAge(
  { settings, clock, tell }: Pick<NightlyDeps, 'settings' | 'clock' | 'tell'>,
  startedAt: number,
): Promise<void> {
  const { lastAt } = await findBackups(backupsFolder(settings)).catch(() => ({ lastAt: undefined }));
  await tell('backup-old', clock.now() - (lastAt ?? startedAt) > oldBackupMs);
}

/** When the newest nightly backup of a folder was made; undefined where there is none, or the folder is away. */
async function lastNightlyAt(folder: string): Promise<number | undefined> {
  const found = (await readdir(folder).catch(() => [])).map(readBackupName);
  const times = found.flatMap((read) => (read?.prefix === 'nightly' ? [read.madeAt] : []));
  return times.length === 0 ? undefined : Math.max(...times);
}

/**
 * Tries whether the folder can be made and written, so that the operator learns by day of what would fail at night. The
 * service goes on: a share that is away is not a reason to keep frames waiting. Only a successful backup ends an
 * earlier report.
 */
export async function tryNightlyFolder(deps: Omit<NightlyDeps, 'run' | 'clock'>): Promise<void> {
  const { settings, logger, meter, tell } = deps;
  try {
    if (await tryBackupsFolder(settings)) return;
    logger.warn({ folder: backupsFolder(settings) }, `the folder of the nightly backups: ${unsyncedFolder}`);
  } catch (error) {
    meter?.count('papergate_backups_total', { outcome: 'failed' });
    const hint =
      error instanceof Refusal && error.hint !== undefined
        ? `${error.hint}; papergate doctor says whether it can be written then`
        : 'papergate doctor says whether it can be written';
    logger.warn({ error, hint }, 'the folder of the nightly backups cannot be written: none will be made');
    await tell('backup-failed', true);
  }
}

/**
 * Makes a backup and checks it, and only then removes the oldest beyond those that are kept. One into which damaged files
 * were copied says so in its name.
 * @returns whether there is one now
 */
export async function backUp({ settings, clock, logger, meter, run }: Omit<NightlyDeps, 'tell'>): Promise<boolean> {
  const folder = backupsFolder(settings);
  const name = backupName('nightly', clock.now(), settings.PAPERGATE_BACKUP_KEY !== undefined);
  const file = join(folder, name);
  try {
    await run(['backup', 'create', '--json', '--out', file]);
    const checked = await run(['backup', 'check', '--json', file]).catch(async (error: unknown) => {
      // It is not a backup, and would keep the place of one.
      await rm(file, { force: true });
      throw error;
    });
    const damaged = damagedIn(checked);
    if (damaged > 0) await nameDamaged({ folder, name, damaged }, logger);
    // The backup is made, whether or not an older one can go: a share may hold on to a file that somebody reads.
    await removeOld(folder, keptBackups(settings), clock.now()).catch((error: unknown) => {
      logger.warn({ error, hint: 'remove them by hand: they take room' }, 'older nightly backups could not be removed');
    });
    meter?.count('papergate_backups_total', { outcome: 'made' });
    logger.info({ file: damaged > 0 ? damagedName(name) : name }, 'made the nightly backup');
    return true;
  } catch (error) {
    meter?.count('papergate_backups_total', { outcome: 'failed' });
    logger.warn({ error, hint: 'papergate backup create says it again' }, 'the nightly backup failed');
    return false;
  }
}

/** Reads from the output of `papergate backup check` how many files in it are damaged. */
function damagedIn(output: string): number {
  const read: { readonly damaged?: number } = JSON.parse(output);
  return read.damaged ?? 0;
}

async function nameDamaged(
  { folder, name, damaged }: { readonly folder: string; readonly name: string; readonly damaged: number },
  logger: Logger,
): Promise<void> {
  await rename(join(folder, name), join(folder, damagedName(name)));
  await syncFolder(folder);
  const hint = 'papergate doctor --deep --files names them and says what to do; the last backup without damage is kept';
  logger.warn({ files: damaged, hint }, 'stored files were damaged before the nightly backup was made');
}

/**
 * Removes the oldest nightly backups, and what killed processes left of one. One that cannot go keeps no other. The newest
 * one without damaged files stays until there is another: it may be the last that has them whole.
 */
async function removeOld(folder: string, keep: number, now: number): Promise<void> {
  const names = await readdir(folder);
  const old = names.filter((name) => readBackupName(name)?.prefix === 'nightly').sort();
  const sound = old.filter((name) => readBackupName(name)?.isSound === true).at(-1);
  const going = old.slice(0, -keep).filter((name) => name !== sound);
  for (const name of names.filter((name) => unfinished.test(name))) {
    const left = await stat(join(folder, name)).catch(undefinedIfMissing);
    if (left !== undefined && now - left.mtimeMs > dayMs) going.push(name);
  }
  const removed = await Promise.allSettled(going.map((name) => rm(join(folder, name), { force: true })));
  const failed = removed.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
