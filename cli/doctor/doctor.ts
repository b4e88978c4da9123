/** `papergate doctor`: examines a service from its operator's side and reports for each part what to do next. */

import { withoutBrowser } from '../../api/papers/kinds.ts';
import {
  type ClientCredentials,
  callApi,
  credentialsFromEnvironment,
  Refused,
  Unreachable,
  urlFromEnvironment,
} from '../ground/client.ts';
import { printJson, printLine } from '../ground/print.ts';
import { WrongUsage } from '../ground/usage.ts';
import { certificateEnd, type Diagnosis, judgeEnd } from './doctor-certificates.ts';
import { lookLocally } from './doctor-locally.ts';

/** The parts of the service's status, with an operator's advice about each. */
const kinds = {
  api: 'look at the processor of the machine, and at nodejs_eventloop_lag_p99_seconds in /metrics',
  gateway: 'look at the log of the service; more frames than one machine carries wait to be recorded',
  mqtt: 'is the port taken or blocked? the log says why the broker does not listen',
  database: 'free disk space, and see whether another process holds the database',
  rendering: `apt install chromium-headless-shell, or set PAPERGATE_BROWSER, and start the service again (of the container: the image that is not slim); ${withoutBrowser}`,
  callbacks: 'an integration does not answer; its callbacks are tried for seven days',
  epaper: 'see gateway, mqtt and database',
} as const;

const skewWarnMs = 5_000;
/** The error of a clock up to which a JWT is accepted. */
const skewFailMs = 60_000;

/**
 * Examines everything and prints a line for each.
 * @throws Unreachable, or Refused, after the lines: for the exit code
 */
export async function doctor(options: { json?: boolean }): Promise<void> {
  const url = urlFromEnvironment();
  const found: Diagnosis[] = [];
  const report = (...diagnoses: readonly Diagnosis[]): void => {
    found.push(...diagnoses);
    if (options.json !== true) diagnoses.forEach(printDiagnosis);
  };
  const reached = await lookForService(url);
  report(reached);
  if (reached.result === 'ok') {
    report(await judgeClock(url));
    for (const kind of Object.keys(kinds) as (keyof typeof kinds)[]) report(await judgeKind(url, kind));
    report(await judgeSignIn(url));
    report(...(await judgeKey()));
    if (url.startsWith('https:')) report(await judgeEnd('certificate', certificateEnd(url), Date.now()));
  }
  report(...(await lookLocally(process.env, url, Date.now())));
  const failed = found.filter(({ result }) => result === 'fail');
  if (options.json === true) printJson({ ok: failed.length === 0, checks: found });
  if (reached.result === 'fail')
    throw new Unreachable(
      `${url} does not answer as a Papergate service`,
      'set PAPERGATE_URL to the address of the service',
    );
  if (failed.length > 0) throw new Refused(0, `${failed.length} of ${found.length} checks failed`, undefined);
}

async function lookForService(url: string): Promise<Diagnosis> {
  const name = 'service';
  try {
    const { uptimeSeconds } = await statusOf(url, 'api');
    return { name, result: 'ok', message: `${url} has been running for ${inDays(uptimeSeconds)}` };
  } catch (error) {
    const message = error instanceof Error ? error.message : 'it does not answer';
    return { name, result: 'fail', message, hint: 'start it with papergate serve, or correct PAPERGATE_URL' };
  }
}

const statusOf = (url: string, kind: string) => callApi({ url }, 'GET /iotdevice/status/{kind}', { path: { kind } });

async function judgeKind(url: string, kind: keyof typeof kinds): Promise<Diagnosis> {
  try {
    const { status, reason, note } = await statusOf(url, kind);
    if (status === 'ok' && kind === 'api' && note !== undefined) {
      const hint = 'name the proxy in PAPERGATE_TRUSTED_PROXIES; the log of the service has its address';
      return { name: kind, result: 'warn', message: note, hint };
    }
    if (status === 'ok') return { name: kind, result: 'ok', message: note === undefined ? 'ok' : `ok: ${note}` };
    const message = reason === undefined ? status : `${status}: ${reason}`;
    return { name: kind, result: status === 'down' ? 'fail' : 'warn', message, hint: kinds[kind] };
  } catch (error) {
    return { name: kind, result: 'fail', message: String(error), hint: kinds[kind] };
  }
}

/** Compares clocks by the answer's Date, which has whole seconds. */
async function judgeClock(url: string): Promise<Diagnosis> {
  const name = 'clock';
  const asked = Date.now();
  const response = await fetch(`${url}/iotdevice/status/api`, { redirect: 'manual' }).catch(() => undefined);
  const stated = Date.parse(response?.headers.get('date') ?? '');
  if (Number.isNaN(stated)) return { name, result: 'warn', message: 'the service does not say what time it is' };
  const answered = Date.now();
  // A moment within that second, between question and answer, is not an error.
  const skewMs = Math.max(0, stated - answered, asked - (stated + 1_000));
  const message = skewMs === 0 ? 'both clocks agree' : `the clocks differ by ${Math.round(skewMs / 1000)} s`;
  const hint = 'let both machines keep their time by NTP; a frame follows the service';
  if (skewMs > skewFailMs) return { name, result: 'fail', message, hint };
  return skewMs > skewWarnMs ? { name, result: 'warn', message, hint } : { name, result: 'ok', message };
}

/**
 * Tests whether a page at this address may sign somebody in, with the headers that a browser sends over plain HTTP:
 * behind a proxy that changes `Host`, the service takes it for a page of another site. Nothing is signed in.
 */
async function judgeSignIn(url: string): Promise<Diagnosis> {
  const name = 'sign-in';
  const { origin } = new URL(url);
  const headers = { origin, 'content-type': 'application/json', 'x-papergate-console': '1' };
  const asked = { method: 'POST', headers, body: '{}', redirect: 'manual' } as const;
  const status = await fetch(`${url}/sessions/`, asked).then(
    async (response) => {
      await response.body?.cancel();
      return response.status;
    },
    () => undefined,
  );
  if (status === 400) return { name, result: 'ok', message: `pages at ${origin} may sign people in` };
  if (status !== 403) return { name, result: 'warn', message: `could not be tried (${status ?? 'no answer'})` };
  const hint = `let the proxy pass on the Host header with the port (nginx: proxy_set_header Host $http_host), or set PAPERGATE_PUBLIC_URL=${origin}`;
  return {
    name,
    result: 'fail',
    message: `the service does not take pages at ${origin} for its own: nobody signs in there`,
    hint,
  };
}

/** Examines the key: whether it is valid, its permissions, and the state of its frames. */
async function judgeKey(): Promise<Diagnosis[]> {
  const name = 'key';
  if ((process.env.PAPERGATE_API_KEY ?? '').trim() === '') {
    const message = 'PAPERGATE_API_KEY is not set, so frames and storage were not looked at';
    return [{ name, result: 'warn', message, hint: 'papergate setup prints a key, and papergate keys create another' }];
  }
  let credentials: ClientCredentials;
  try {
    credentials = credentialsFromEnvironment();
    const { as } = await callApi(credentials, 'GET /changes/');
    const roles = as.map(({ role, organization }) => `${role} of ${organization}`).join(', ');
    const mayWrite = as.some(({ role }) => role === 'admin' || role === 'user');
    const key: Diagnosis = mayWrite
      ? { name, result: 'ok', message: `acts as ${roles}` }
      : {
          name,
          result: 'warn',
          message: as.length === 0 ? 'belongs to no organization' : `acts as ${roles}`,
          hint: 'it may not change anything; an admin can give its owner another role',
        };
    return [key, await judgeFrames(credentials), ...(await judgeStorage(credentials))];
  } catch (error) {
    const hint = error instanceof WrongUsage || error instanceof Refused ? error.hint : undefined;
    const message = error instanceof Error ? error.message : 'it cannot be checked';
    return [{ name, result: 'fail', message, hint: hint ?? 'papergate keys create --user ID makes another' }];
  }
}

async function judgeFrames(credentials: ClientCredentials): Promise<Diagnosis> {
  const name = 'frames';
  const devices = await callApi(credentials, 'GET /devices/', { query: { limit: 10_000 } });
  const troubled = devices.filter(({ serialNumber, status }) => serialNumber !== undefined && status !== 'online');
  if (troubled.length === 0) return { name, result: 'ok', message: `${devices.length} devices, none in trouble` };
  const some = troubled.slice(0, 3).map((device) => `${device.serialNumber} (${device.status})`);
  const more = troubled.length > some.length ? ` and ${troubled.length - some.length} more` : '';
  const message = `${troubled.length} of ${devices.length} devices are not online: ${some.join(', ')}${more}`;
  return { name, result: 'warn', message, hint: `papergate devices why ${troubled[0]?.serialNumber}` };
}

/** Examines what the organizations store whose admin has the key. */
async function judgeStorage(credentials: ClientCredentials): Promise<Diagnosis[]> {
  const about = await callApi(credentials, 'GET /service/about').catch((error: unknown) => {
    // The key is not an admin's.
    if (error instanceof Refused && error.status === 403) return undefined;
    throw error;
  });
  return (about?.storage ?? []).flatMap(({ name: organization, bytes, most, isNearlyFull }): Diagnosis[] => {
    if (most === null) return [];
    const message = `${organization} stores ${Math.ceil(bytes / 1024 ** 2)} of ${Math.floor(most / 1024 ** 2)} MiB`;
    if (!isNearlyFull) return [{ name: 'storage', result: 'ok', message }];
    const hint = 'remove pictures that nobody misses, or set PAPERGATE_ORGANIZATION_STORAGE to more';
    return [{ name: 'storage', result: 'warn', message, hint }];
  });
}

const marks = { ok: 'ok  ', warn: 'WARN', fail: 'FAIL' } as const;

function printDiagnosis({ name, result, message, hint }: Diagnosis): void {
  printLine(`${marks[result]}  ${name.padEnd(12)}  ${message}`);
  if (hint !== undefined && result !== 'ok') printLine(`${' '.repeat(20)}${hint}`);
}

function inDays(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`;
}
