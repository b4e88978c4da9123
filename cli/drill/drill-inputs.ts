/** The inputs of a drill: the running service, its backup, and the place of the page. */
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { databaseFile } from '../../api/service/open/service-context.ts';
import type { Settings } from '../../api/service/settings/settings.ts';
import { readBackupName } from '../../api/status/last-backup.ts';
import { refuse } from '../../reasons/refusals.ts';
import { isoTime } from '../../runtime/clock.ts';
import { makeFolder, undefinedIfMissing } from '../../runtime/disk/durable-file.ts';
import { refusedFile } from '../../runtime/disk/refuse-file.ts';
import type { RowReader } from '../deep/invariant.ts';
import { readPostgres, readSqlite } from '../deep/read-rows.ts';
import { Unreachable, urlFromEnvironment } from '../ground/client.ts';
import { readEndpoints } from '../ground/hold-folder.ts';
import { WrongUsage } from '../ground/usage.ts';

/**
 * Makes sure that the service runs: a drill compares with it.
 * @returns its address
 * @throws Unreachable
 */
export async function requireRunning(dataFolder: string): Promise<string> {
  const endpoints = process.env.PAPERGATE_URL ? undefined : await readEndpoints(dataFolder);
  const url = endpoints?.http ?? urlFromEnvironment();
  const isAlive = await fetch(`${url}/live`, { redirect: 'manual', signal: AbortSignal.timeout(10_000) }).then(
    ({ status }) => status === 200,
    () => false,
  );
  if (isAlive) return url;
  throw new Unreachable(
    `${url} does not answer as a Papergate service: a drill compares a backup with the service that runs`,
    'start it, or set PAPERGATE_URL; papergate backup check reads a backup without it, and backup restore restores one',
  );
}

/** Finds the newest backup of a folder. @throws Refusal `bad-configuration` where none is there */
export async function newestBackup(folder: string): Promise<string> {
  const names = (await readdir(folder).catch(undefinedIfMissing)) ?? [];
  const found = names.flatMap((name) => {
    const read = readBackupName(name);
    return read === undefined ? [] : [{ name, madeAt: read.madeAt }];
  });
  const newest = found.reduce((a, b) => (b.madeAt > (a?.madeAt ?? 0) ? b : a), found[0]);
  if (newest !== undefined) return join(folder, newest.name);
  throw refuse('bad-configuration', {
    message: `no backup is in ${folder}`,
    hint: 'papergate backup create makes one, or name one by --backup FILE',
  });
}

/** Names the page of a drill after its time. */
export const pageName = (now: number): string => `drill-${isoTime(now).slice(0, 19).replaceAll(':', '-')}Z.html`;

/** Makes the folder of the page. @throws Refusal `bad-configuration` for a page that is there already */
export async function requireNewPage(path: string): Promise<string> {
  if (!path.endsWith('.html')) throw new WrongUsage(`--out: ${basename(path)} does not end in .html`, 'it is a page');
  try {
    await makeFolder(dirname(path));
    if ((await stat(path).catch(undefinedIfMissing)) === undefined)
      return join(await realpath(dirname(path)), basename(path));
  } catch (error) {
    throw refusedFile(error, path, '--out') ?? error;
  }
  throw refuse('bad-configuration', { message: `--out: ${path} is there already`, hint: 'name another file' });
}

/** Opens the rows of the service to read them. */
export const openLive = ({ DATABASE_URL: url, PAPERGATE_DATA: folder }: Settings): Promise<RowReader> =>
  url === undefined ? Promise.resolve(readSqlite(join(folder, databaseFile))) : readPostgres(url);
