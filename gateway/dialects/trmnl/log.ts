/** The log call: the errors that a frame reports are kept as events, within bounds, and count against its picture. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readPictureName } from '../../../firmware-protocol/trmnl/picture-name.ts';
import { type Transaction, transact } from '../../../runtime/database/database.ts';
import type { Moment } from '../../../runtime/moment.ts';
import { isRecord } from '../../../runtime/plain-record.ts';
import { recordFrameEvent } from '../../frames/event-log.ts';
import { recordShown } from '../../frames/record-report.ts';
import { frameRegistry } from '../../frames/registry.ts';
import { uploadLog } from '../../pictures/upload-log.ts';
import type { PolledDeps } from '../dialect.ts';
import { readText } from '../read-text.ts';
import { lastAnswer, noteError } from './last-answers.ts';
import { sayJson } from './say.ts';

/** The most bytes of a call; the firmware keeps ten messages of 512 characters. */
const maxBytes = 32 * 1024;
/** The most messages of a call, and the most characters of one. */
const maxMessages = 10;
const maxCharacters = 512;
/** The most messages of a frame that are kept in an hour. */
const hourly = 60;
const hourMs = 3_600_000;

/** A line of a frame's log. */
interface LogLine {
  readonly message: string;
  readonly level: 'info' | 'error';
}

/** Takes a log call of a frame that was let in. */
export async function takeLog(
  deps: PolledDeps,
  serial: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const text = await readText(request, maxBytes);
  const lines = text === undefined ? undefined : readLines(text);
  // The rest of a call that is too long is not read.
  if (text === undefined) response.setHeader('connection', 'close');
  // A frame that gets an error sends the same again with every wake, so that what cannot be read is dropped.
  if (lines !== undefined && lines.length > 0) {
    // It may name a picture whose download has only just ended.
    await deps.downloadsRecorded(serial);
    await transact(deps.db, (trx) => keepLines(deps, trx, serial, lines));
    deps.reported(serial);
  }
  sayJson(response, 204, '');
}

/** Reads the lines: `logs` of firmware from 1.6.0 on, `log.logs_array` of older ones, `log` of other clients. */
export function readLines(text: string): readonly LogLine[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [];
  }
  const { logs, log } = asRecord(value);
  const found = [logs, asRecord(log).logs_array, log].find(Array.isArray) ?? [log ?? value];
  return (found as unknown[]).slice(0, maxMessages).flatMap(readLine);
}

function readLine(entry: unknown): readonly LogLine[] {
  const { message, log_message, level } = asRecord(entry);
  const said = typeof entry === 'string' ? entry : (message ?? log_message);
  if (typeof said !== 'string' || said.trim() === '') return [];
  // Old firmware and the newest send errors only, without a level; HomePlate also logs what it did, as `boot:` and
  // `display:`.
  const isCalm = /^(boot|display): /.test(said) || level === 'info' || level === 'debug';
  return [{ message: said.slice(0, maxCharacters), level: isCalm ? 'info' : 'error' }];
}

function asRecord(value: unknown): Record<string, unknown> {
  return isRecord(value) ? (value as Record<string, unknown>) : {};
}

async function keepLines(
  { clock, random }: PolledDeps,
  trx: Transaction,
  serial: string,
  lines: readonly LogLine[],
): Promise<void> {
  const now = clock.now();
  await frameRegistry(trx).known(serial);
  const kept = await trx('frame_events')
    .where({ serial, type: 'log' })
    .where('at', '>', now - hourMs)
    .count({ count: '*' })
    .first();
  const room = Math.max(0, hourly - Number(kept?.count));
  for (const { message, level } of lines.slice(0, room)) {
    await recordFrameEvent(trx, random, { serial, type: 'log', at: now, payload: { level, message } });
  }
  if (lines.some(({ level }) => level === 'error')) await noteError(trx, serial, now);
  for (const { message } of lines) await noteNamed(trx, serial, message, { now, random });
}

/**
 * Records the picture that a frame names as drawn: the name contains version and digest, and so states what is on the
 * glass.
 */
async function noteNamed(trx: Transaction, serial: string, message: string, moment: Moment): Promise<void> {
  const named = readPictureName(/^display: updated (\S{1,64})/.exec(message)?.[1] ?? '');
  const last = named && (await lastAnswer(trx, serial));
  const upload = last?.upload_id ? await uploadLog(trx).find(last.upload_id) : undefined;
  if (named === undefined || upload === undefined || upload.replaced_at !== null || upload.fetched_at === null) return;
  if (named.version !== upload.file_version || !upload.picture_sha256.startsWith(named.digestStart)) return;
  const frame = await frameRegistry(trx).known(serial);
  await uploadLog(trx).shown(upload.id, upload.file_version, moment.now, 'named');
  const shown = { uploadId: upload.id, fileVersion: upload.file_version, synced: true, sha256: upload.picture_sha256 };
  await recordShown(trx, frame, shown, moment);
}
