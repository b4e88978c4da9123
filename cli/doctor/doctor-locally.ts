/** The checks of `papergate doctor` on the machine of the service itself: its data folder, its keys, its room. */
import { X509Certificate } from 'node:crypto';
import { readFile, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { unnamedProxy, unnamedProxyHint } from '../../api/http/shared-addresses.ts';
import { databaseFile, isServiceFolder } from '../../api/service/open/service-context.ts';
import { isWholeSecret, secretFile, secretHint } from '../../api/service/open/service-keys.ts';
import { limitsOf } from '../../api/service/settings/database-settings.ts';
import { completeEnvironment } from '../../api/service/settings/one-address.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { limits as frameLimits } from '../../firmware-protocol/limits.ts';
import { Refusal } from '../../reasons/refusals.ts';
import type { DatabaseLimits } from '../../runtime/database/database-limits.ts';
import { syncFolder, unsyncedDataFolder, unsyncedDataHint } from '../../runtime/disk/durable-file.ts';
import { readEndpoints } from '../ground/hold-folder.ts';
import { judgeArchive } from './doctor-archive.ts';
import { judgeBackups } from './doctor-backups.ts';
import { certificateEnd, type Diagnosis, judgeEnd } from './doctor-certificates.ts';
import { judgeFonts } from './doctor-fonts.ts';
import { judgeHome } from './doctor-home-broker.ts';
import { judgeReach } from './doctor-reach.ts';

/** The length of a download's path after its prefix (W-04). */
const downloadPathCharacters = 13;
const littleBytes = 200 * 1024 * 1024;

/** Files that only their owner may read. */
const secretFiles = [
  secretFile,
  'token-issuer.key',
  'authority/ca.key',
  'authority/server.pem',
  ...['', '-wal', '-shm'].map((suffix) => databaseFile + suffix),
];

/**
 * Examines this machine; of a service elsewhere, only the environment.
 * @param url the service that was asked: the data folder is looked at if it is that service's, or nobody's
 */
export async function lookLocally(
  given: Readonly<Record<string, string | undefined>>,
  url: string,
  now: number,
): Promise<Diagnosis[]> {
  const { env, trouble } = complete(given);
  const found: Diagnosis[] = [
    ...trouble,
    judgeFrameUrl(env.PAPERGATE_FRAME_URL || url, env.PAPERGATE_FRAME_URL !== undefined),
  ];
  if (env.PAPERGATE_PUBLIC_URL) found.push(judgeProxies(env));
  if (env.DATABASE_URL) found.push(judgeLimits(env));
  found.push(...(await judgeHome(env)));
  const folder = env.PAPERGATE_DATA || './data';
  const endpoints = await readEndpoints(folder);
  // The folder may be the reason why nothing runs.
  const isOurs =
    endpoints === undefined
      ? isServiceFolder(folder) && isHere(url)
      : new URL(endpoints.http).port === new URL(url).port;
  if (!isOurs) return found;
  found.push(
    await judgeFolder(folder),
    ...(await judgeSecret(env, folder)),
    await judgeRoom(folder),
    await judgeBackups(env, folder, now),
    ...(await judgeArchive(env, now)),
    await judgeFonts(),
  );
  const authority = await readFile(join(folder, 'authority', 'ca.crt'), 'utf8').catch(() => undefined);
  if (authority !== undefined) {
    const { validFrom, validTo } = new X509Certificate(authority);
    found.push(await judgeEnd('authority', Promise.resolve(Date.parse(validTo)), now));
    if (Date.parse(validFrom) > now) found.push(tooEarly(validFrom));
  }
  if (endpoints === undefined) return found;
  found.push(await judgeEnd('broker', certificateEnd(endpoints.mqtts.replace('mqtts:', 'https:')), now));
  found.push(...(await judgeReach(env, endpoints)));
  return found;
}

/** Completes the environment as the service does. Without its secrets the rest is examined all the same. */
function complete(given: Readonly<Record<string, string | undefined>>) {
  try {
    return { env: completeEnvironment(given), trouble: [] };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { env: given, trouble: [refused('secrets', error)] };
  }
}

function refused(name: string, { message, hint }: Refusal): Diagnosis {
  return { name, result: 'fail', message: message.replaceAll('\n', '; '), ...(hint !== undefined && { hint }) };
}

function tooEarly(made: string): Diagnosis {
  const message = `the clock of this machine is before ${made}, when its authority was made: frames refuse its certificates`;
  return { name: 'time', result: 'fail', message, hint: 'let this machine keep its time by NTP' };
}

function judgeFrameUrl(frameUrl: string, isSet: boolean): Diagnosis {
  const name = 'frame url';
  const most = frameLimits.classicUrlCharacters - downloadPathCharacters;
  const message = `${frameUrl} has ${frameUrl.length} characters, of ${most} that classic frames hold`;
  if (frameUrl.length <= most) return { name, result: 'ok', message };
  const hint = `set PAPERGATE_FRAME_URL to an address of at most ${most} characters`;
  // Without the variable the service uses its own address, which may be shorter than the one it is asked at.
  return { name, result: isSet ? 'fail' : 'warn', message, hint };
}

/**
 * Checks whether the service sees the address of each client behind a proxy. Where all share one address, ten wrong
 * codes from one client lock out the others.
 */
function judgeProxies(env: Readonly<Record<string, string | undefined>>): Diagnosis {
  const name = 'proxies';
  const named = env.PAPERGATE_TRUSTED_PROXIES;
  const message = unnamedProxy(env.PAPERGATE_PUBLIC_URL, named ? [named] : []);
  if (message !== undefined) return { name, result: 'warn', message, hint: unnamedProxyHint };
  return { name, result: 'ok', message: named ? `${named} name their clients` : 'none is named, and none is needed' };
}

/** Says with which limits a service of this environment works over PostgreSQL. */
function judgeLimits(env: Readonly<Record<string, string | undefined>>): Diagnosis {
  const name = 'database limits';
  let limits: DatabaseLimits;
  try {
    limits = limitsOf(readSettings(env));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return refused(name, error);
  }
  const { connections, waitMs, statementMs, lockMs, idleMs } = limits;
  const [wait, statement, lock, idle] = [waitMs, statementMs, lockMs, idleMs].map((ms) => `${ms / 1000} s`);
  const message = `${connections} connections; waits for one ${wait}, statements ${statement}, locks ${lock}, idle transactions ${idle}`;
  if (lockMs > idleMs) return { name, result: 'ok', message };
  const hint =
    'set PAPERGATE_DATABASE_LOCK_SECONDS above PAPERGATE_DATABASE_IDLE_SECONDS, so that work outlasts a paused process';
  return { name, result: 'warn', message, hint };
}

function isHere(url: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(url).hostname);
}

/** Examines the keys: a person who reads them can seal, sign and issue in the service's name (T-13). */
async function judgeFolder(folder: string): Promise<Diagnosis> {
  const name = 'data folder';
  const open: string[] = [];
  for (const file of secretFiles) {
    const path = join(folder, file);
    const mode = await stat(path).then(
      (found) => found.mode & 0o077,
      () => 0,
    );
    if (mode !== 0) open.push(path);
  }
  const message = `others may read ${open.join(', ')}`;
  if (open.length > 0) return { name, result: 'fail', message, hint: `chmod 600 ${open.join(' ')}` };
  if (((await stat(folder)).mode & 0o077) !== 0) {
    return { name, result: 'warn', message: `others may look into ${folder}`, hint: `chmod 700 ${folder}` };
  }
  if (!(await syncFolder(folder))) {
    return { name, result: 'warn', message: `${folder}: ${unsyncedDataFolder}`, hint: unsyncedDataHint };
  }
  return { name, result: 'ok', message: `${folder} and its keys are for their owner alone` };
}

async function judgeSecret(env: Readonly<Record<string, string | undefined>>, folder: string): Promise<Diagnosis[]> {
  const path = join(folder, secretFile);
  const text = env.PAPERGATE_SECRET_KEY ? undefined : await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined || isWholeSecret(text)) return [];
  return [{ name: 'secret', result: 'fail', message: `${path} holds no whole secret`, hint: secretHint }];
}

async function judgeRoom(folder: string): Promise<Diagnosis> {
  const name = 'disk';
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const message = `${Math.floor(free / 1024 ** 2)} MiB are left for ${folder}`;
  if (free >= littleBytes) return { name, result: 'ok', message };
  return { name, result: 'fail', message, hint: 'make room before the service has to refuse content' };
}
