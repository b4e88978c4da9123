/** A backup each night, of which so many are kept. */

import { spawn } from 'node:child_process';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../../api/service/settings/settings.ts';
import { readBackupName } from '../../api/status/last-backup.ts';
import type { ServiceMeter } from '../../api/status/measures.ts';
import { Refusal } from '../../reasons/refusals.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { undefinedIfMissing } from '../../runtime/disk/durable-file.ts';
import { inBackground } from '../../runtime/in-background.ts';
import { followPlan } from '../../runtime/wall-plan.ts';
import { backupName, backupsFolder, tryBackupsFolder, unsyncedFolder } from './backup-place.ts';

/** Before the clean-up of old rows, which removes files. */
const backupHour = '37 2 * * *';
const unfinished = /^\.nightly-.*\.part$/;
const dayMs = 86_400_000;

export interface NightlyDeps extends Pick<CommonDeps, 'clock' | 'logger'> {
  readonly settings: Settings;
  readonly meter: ServiceMeter | undefined;
  /** Runs `papergate` with these arguments to its end; throws its message where it failed. */
  run(args: readonly string[]): Promise<void>;
  /** Has the operator notified of a night without a backup, and of the first one with. */
  tell(isFailed: boolean): Promise<void>;
}

/**
 * Tries the folder at the start, and makes a backup each night while it is not stopped; one that was missed, by a machine
 * that was off or asleep, is made a little after it is there again. Without `PAPERGATE_BACKUP_KEEP` there is none.
 */
export function startNightlyBackups(deps: NightlyDeps): { stop(): void } {
  if (deps.settings.PAPERGATE_BACKUP_KEEP === 0) return { stop() {} };
  const run = async (): Promise<void> => deps.tell(!(await backUp(deps)));
  let plan: { stop(): void } | undefined;
  let isStopped = false;
  inBackground(deps.logger, 'try the folder of the nightly backups', async () => {
    await tryNightlyFolder(deps);
    const lastAt = (await lastNightlyAt(backupsFolder(deps.settings))) ?? 0;
    if (!isStopped) plan = followPlan({ line: backupHour, task: 'make the nightly backup', lastAt, run }, deps);
  });
  return {
    stop() {
      isStopped = true;
      plan?.stop();
    },
  };
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
    await tell(true);
  }
}

/**
 * Makes a backup and checks it, and only then removes the oldest beyond those that are kept.
 * @returns whether there is one now
 */
export async function backUp({ settings, clock, logger, meter, run }: Omit<NightlyDeps, 'tell'>): Promise<boolean> {
  const folder = backupsFolder(settings);
  const name = backupName('nightly', clock.now(), settings.PAPERGATE_BACKUP_KEY !== undefined);
  const file = join(folder, name);
  try {
    await run(['backup', 'create', '--json', '--out', file]);
    await run(['backup', 'check', '--json', file]).catch(async (error: unknown) => {
      // It is not a backup, and would keep the place of one.
      await rm(file, { force: true });
      throw error;
    });
    // The backup is made, whether or not an older one can go: a share may hold on to a file that somebody reads.
    await removeOld(folder, settings.PAPERGATE_BACKUP_KEEP, clock.now()).catch((error: unknown) => {
      logger.warn({ error, hint: 'remove them by hand: they take room' }, 'older nightly backups could not be removed');
    });
    meter?.count('papergate_backups_total', { outcome: 'made' });
    logger.info({ file: name }, 'made the nightly backup');
    return true;
  } catch (error) {
    meter?.count('papergate_backups_total', { outcome: 'failed' });
    logger.warn({ error, hint: 'papergate backup create says it again' }, 'the nightly backup failed');
    return false;
  }
}

/** Removes the oldest nightly backups, and what killed processes left of one. One that cannot go keeps no other. */
async function removeOld(folder: string, keep: number, now: number): Promise<void> {
  const names = await readdir(folder);
  const old = names.filter((name) => readBackupName(name)?.prefix === 'nightly').sort();
  const going = old.slice(0, -keep);
  for (const name of names.filter((name) => unfinished.test(name))) {
    const left = await stat(join(folder, name)).catch(undefinedIfMissing);
    if (left !== undefined && now - left.mtimeMs > dayMs) going.push(name);
  }
  const removed = await Promise.allSettled(going.map((name) => rm(join(folder, name), { force: true })));
  const failed = removed.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/**
 * Returns a function that runs `papergate` in a separate process: it reads and encrypts for minutes, and closing
 * SQLite's file here would end the locks that this process has on it.
 * @param command the path of the command's entry
 * @param env its environment: that of the service, whose settings hold for its backups
 */
export function papergateRunner(command: string, env: NodeJS.ProcessEnv): (args: readonly string[]) => Promise<void> {
  return (args) => {
    const child = spawn(process.execPath, [...process.execArgv, command, ...args], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env,
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      said = (said + chunk).slice(0, 2_000);
    });
    return new Promise((resolve, reject) => {
      child.once('error', reject).once('close', (code) => {
        if (code === 0) resolve();
        else reject(new Error(said.trim() || `papergate ${args.slice(0, 2).join(' ')} ended with ${code}`));
      });
    });
  };
}
