/** `papergate devices events`, `logs` and `why`: the history of a frame, over HTTP. */

import { timeOfIso } from '../../api/http/time-of-iso.ts';
import type { AnswerOf } from '../../client/calls.ts';
import { callApi, credentialsFromEnvironment, pathSegment } from '../ground/client.ts';
import { printJson, printResult, printTable, shortTime } from '../ground/print.ts';
import { WrongUsage } from '../ground/usage.ts';
import { askForDevice, sleepInWords } from './devices.ts';

interface History {
  since: string;
  type?: string;
  json?: boolean;
}

const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
/** The service's clock may be ahead of this machine's. */
const aheadMs = 3_600_000;

/** Lists a frame's events, the oldest first. */
export async function events(idOrSerial: string, options: History): Promise<void> {
  const found = await read(idOrSerial, options);
  if (options.json === true) return printJson(found);
  const rows = found.map(({ timestamp, type, payload }) => ({
    time: shortTime(timestamp),
    type,
    what: eventInWords(payload),
  }));
  printTable(rows, ['time', 'type', 'what']);
}

/** Lists what a frame logged. */
export async function logs(idOrSerial: string, options: History): Promise<void> {
  const found = await read(idOrSerial, { ...options, type: 'log' });
  if (options.json === true) return printJson(found);
  const rows = found.map(({ timestamp, payload }) => ({
    time: shortTime(timestamp),
    level: String(payload.level),
    message: String(payload.message),
  }));
  printTable(rows, ['time', 'level', 'message']);
}

/** Prints on one screen how far the newest picture came, and what it waits for. */
export async function why(idOrSerial: string, options: { json?: boolean }): Promise<void> {
  const credentials = credentialsFromEnvironment();
  const deviceId = await askForDevice(credentials, pathSegment(idOrSerial));
  const found = await callApi(credentials, 'GET /devices/why/{deviceId}', { path: { deviceId } });
  if (options.json === true) return printJson(found);
  // An older service leaves out what it does not know yet.
  const { missing, lastFailure } = found;
  printResult({
    device: found.name,
    serial: found.deviceId,
    paper: found.paper,
    status: found.connected ? `${found.status}, connected` : found.status,
    accepted: shortTime(found.accepted),
    rendered: shortTime(found.rendered),
    offered: shortTime(found.offered),
    announced: shortTime(found.announced),
    fetched: shortTime(found.fetched),
    shown: shortTime(found.shown),
    confirmed: shortTime(found.confirmed),
    proven: found.grade == null ? found.level : `${found.level}, grade ${found.grade}`,
    missing: missing.length === 0 ? 'nothing: the glass shows the newest content' : missing,
    lastFailure: lastFailure === null ? null : `${shortTime(lastFailure.at)}  ${lastFailure.reason}`,
    ...(found.remark != null && { remark: found.remark }),
    ...agesOf('dataOnGlass', found.glassSources),
    ...agesOf('dataOffered', found.sources),
    ...(found.panelTrouble != null && { panel: found.panelTrouble }),
    sleep: sleepInWords(found.sleepSeconds, found.keptSleepSeconds),
    lastContact: shortTime(found.lastContactAt),
    expected: shortTime(found.expectedAt),
    ...wakesForOf(found.wakesFor),
    ...(found.waitsUntil != null && { waitsUntil: shortTime(found.waitsUntil) }),
  });
}

/** Says why the frame wakes when it is expected; an older service does not. */
function wakesForOf(wakesFor: AnswerOf<'GET /devices/why/{deviceId}'>['wakesFor'] | undefined): { wakesFor?: string } {
  if (wakesFor == null || wakesFor.at === null) return {};
  const { end, at, reason, leftOut } = wakesFor;
  const why = reason === null ? '' : `: ${reason}`;
  const rest = leftOut === 0 ? '' : `; ${leftOut} before that left out`;
  return { wakesFor: `${end} ${shortTime(at)}${why}${rest}` };
}

type Sources = AnswerOf<'GET /devices/why/{deviceId}'>['sources'];

/** Says how old the data of a picture are; an older service does not. */
function agesOf<Field extends string>(field: Field, sources: Sources | undefined): Partial<Record<Field, string[]>> {
  if (sources === undefined || sources.length === 0) return {};
  const lines = sources.map(({ name, answeredAt, problems }) => {
    const why = problems.at(0)?.sentence;
    return `${name || 'sent data'}: ${shortTime(answeredAt) ?? 'never'}${why === undefined ? '' : ` (${why})`}`;
  });
  return { [field]: lines } as Partial<Record<Field, string[]>>;
}

async function read(idOrSerial: string, options: History): Promise<AnswerOf<'GET /devices/events/{deviceId}'>> {
  const query = {
    DateStart: String(startOf(options.since)),
    DateEnd: String(Date.now() + aheadMs),
    TypeFilter: options.type,
  };
  const credentials = credentialsFromEnvironment();
  const deviceId = await askForDevice(credentials, pathSegment(idOrSerial));
  return callApi(credentials, 'GET /devices/events/{deviceId}', { path: { deviceId }, query });
}

function startOf(since: string): number {
  const [, count, unit = ''] = /^(\d{1,5})([mhd])$/.exec(since) ?? [];
  const at = count === undefined ? timeOfIso(since) : Date.now() - Number(count) * (unitMs[unit] ?? 0);
  if (!Number.isNaN(at)) return Math.max(0, at);
  throw new WrongUsage(`--since ${since}`, 'an age such as 90m, 24h or 7d, or a time such as 2026-01-31T08:00Z');
}

/** Describes an event in words. */
export function eventInWords(payload: Readonly<Record<string, unknown>>): string {
  return Object.entries(payload)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
    .join(' ');
}
