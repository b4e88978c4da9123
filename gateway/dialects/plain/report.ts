/** The report of a frame that it has drawn a picture, or that it could not. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { pictureTag, readPictureTag } from '../../../firmware-protocol/plain/picture-tag.ts';
import { storedReasons } from '../../../reasons/reason.ts';
import { type Transaction, transact } from '../../../runtime/database/database.ts';
import type { Moment } from '../../../runtime/moment.ts';
import { recordBattery } from '../../frames/battery.ts';
import { type EventFacts, recordFrameEvent } from '../../frames/event-log.ts';
import { changeWatch, tellingOf, watchOf } from '../../frames/expect-wake.ts';
import { recordFailure, recordShown } from '../../frames/record-report.ts';
import { type FrameRow, frameRegistry } from '../../frames/registry.ts';
import { sleepSecondsAsSet } from '../../frames/tell-sleep.ts';
import { uploadLog } from '../../pictures/upload-log.ts';
import type { UploadRow } from '../../pictures/upload-row.ts';
import type { PolledDeps } from '../dialect.ts';
import { readText } from '../read-text.ts';
import { isSaidShown } from './choose-plain.ts';
import { sayAnswer, sayProblem, toldHeaders } from './say.ts';

/** The most bytes of a report. */
const maxBytes = 4096;
/** The most reports of a frame in an hour that are kept as events although they count for nothing. */
const hourly = 60;
const hourMs = 3_600_000;

const reportShape = z.object({
  /** The tag of the picture; left out it is the one of the last answer. */
  etag: z.string().max(200).optional(),
  /** Why it could not be drawn; left out it was. */
  error: z.string().min(1).max(200).optional(),
  batteryMv: z.number().int().min(500).max(15_000).optional(),
  rssi: z.number().int().min(-127).max(-1).optional(),
});

type PlainReport = z.infer<typeof reportShape>;

/** The outcome of a report. */
type Outcome = 'shown' | 'failed' | 'superseded' | 'not fetched' | 'not known';

/** The answers to reports that count for nothing. */
const refused: Partial<Record<Outcome, string>> = {
  'not fetched': 'the service did not see this frame take the picture whole: fetch it, draw it and report again',
  'not known': 'report the ETag of the picture exactly as it came, or leave it out',
};

/** Takes a report of a frame that was let in. */
export async function takeReport(
  deps: PolledDeps,
  serial: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const text = await readText(request, maxBytes);
  if (text === undefined)
    return sayProblem(response, 413, { error: 'the report is too long', hint: `at most ${maxBytes} bytes` });
  const report = readReport(text);
  if (report === undefined) {
    const hint = 'JSON, for example {"etag":"...","batteryMv":3900} or {"error":"..."}';
    return sayProblem(response, 400, { error: 'no report', hint });
  }
  await deps.downloadsRecorded(serial);
  const { outcome, etag, sleepSeconds } = await transact(deps.db, (trx) => record(deps, trx, serial, report));
  deps.reported(serial);
  const headers = toldHeaders(sleepSeconds, deps.clock.now());
  const hint = refused[outcome];
  if (hint !== undefined) return sayProblem(response, 409, { error: outcome, hint }, headers);
  // Clients that see no header of an answer find here what they need for the next call.
  sayAnswer(response, 200, { recorded: outcome, ...(etag && { etag }), sleepSeconds }, headers);
}

function readReport(text: string): PlainReport | undefined {
  try {
    return reportShape.safeParse(text.trim() === '' ? {} : JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

async function record(
  { clock, random }: PolledDeps,
  trx: Transaction,
  serial: string,
  report: PlainReport,
): Promise<{ readonly outcome: Outcome; readonly etag: string | undefined; readonly sleepSeconds: number }> {
  const now = clock.now();
  const frame = await frameRegistry(trx).known(serial);
  await recordMeasures(trx, frame, report, { now, random });
  const upload = await reportedUpload(trx, frame, report.etag);
  const outcome = outcomeOf(upload, report);
  if (upload !== undefined && outcome === 'shown') {
    // A repeated report is the same report, and costs no event.
    if (!isSaidShown(upload) || frame.picture_synced !== 1) {
      await uploadLog(trx).shown(upload.id, upload.file_version, now, 'reported');
      const shown = { uploadId: upload.id, fileVersion: upload.file_version, synced: true };
      await recordShown(trx, frame, shown, { now, random });
    }
  } else if (upload !== undefined && outcome === 'failed') {
    const reason = report.error ?? '';
    if (upload.failed_at === null || upload.reason !== storedReasons(reason)) {
      await uploadLog(trx).failed(upload.id, now, reason);
      await recordFailure(trx, frame, { uploadId: upload.id, reason }, { now, random });
    }
  } else {
    await noteDoubted(trx, frame, { upload, outcome, etag: report.etag }, { now, random });
  }
  const etag = upload && pictureTag(upload.picture_sha256, upload.file_version);
  return { outcome, etag, sleepSeconds: await sleepOfWake(trx, frame, now) };
}

/** The sleep that the answer of this wake carried, which a report repeats (WK-19). */
async function sleepOfWake(trx: Transaction, frame: FrameRow, now: number): Promise<number> {
  const watch = await watchOf(trx, frame.serial);
  const told = watch && tellingOf(watch);
  const isOfWake = told !== undefined && told.toldAt === frame.cycle_started_at;
  return isOfWake && told.end !== 'longest' && told.end !== 'proof' ? told.seconds : sleepSecondsAsSet(frame, now);
}

/** The offer that a report is about: of this frame, and of its present owner (T-63). */
async function reportedUpload(
  trx: Transaction,
  { serial, ownership, activation, cycle_upload }: FrameRow,
  etag: string | undefined,
): Promise<UploadRow | undefined> {
  const tag = etag === undefined ? undefined : readPictureTag(etag);
  if (activation !== 'activated' || (etag !== undefined && tag === undefined)) return undefined;
  const log = uploadLog(trx);
  if (tag === undefined) return cycle_upload === null ? undefined : log.find(cycle_upload);
  const upload = await log.ofVersion(serial, tag.version);
  const isIts = upload?.ownership === ownership && upload.picture_sha256.startsWith(tag.digestStart);
  return isIts ? upload : undefined;
}

/** T-99: what a report counts for. */
function outcomeOf(upload: UploadRow | undefined, { error }: PlainReport): Outcome {
  if (upload === undefined) return 'not known';
  if (upload.replaced_at !== null || upload.showing_of !== null) return 'superseded';
  if (upload.fetched_at === null) return 'not fetched';
  return error === undefined ? 'shown' : 'failed';
}

async function recordMeasures(
  trx: Transaction,
  frame: FrameRow,
  { batteryMv, rssi }: PlainReport,
  moment: Moment,
): Promise<void> {
  const watch = await watchOf(trx, frame.serial);
  await changeWatch(trx, frame.serial, await recordBattery(trx, { frame, watch }, batteryMv, moment));
  const measured = {
    ...(batteryMv !== undefined && { battery_mv: batteryMv }),
    ...(rssi !== undefined && { rssi }),
  };
  if (Object.keys(measured).length > 0) await frameRegistry(trx).change(frame.serial, measured, moment.now);
}

/** Keeps a report that counts for nothing as an event, in bounds: a loop fills no table. */
async function noteDoubted(
  trx: Transaction,
  { serial }: FrameRow,
  { upload, outcome, etag }: { upload: UploadRow | undefined; outcome: Outcome; etag: string | undefined },
  { now, random }: Moment,
): Promise<void> {
  const kept = await trx('frame_events')
    .where({ serial, type: 'picture' })
    .where('at', '>', now - hourMs)
    .count({ count: '*' })
    .first();
  if (Number(kept?.count) >= hourly) return;
  const of = upload === undefined ? { etag: etag ?? null } : { uploadId: upload.id, fileVersion: upload.file_version };
  const payload: EventFacts = { stage: 'stale shown', because: outcome, ...of };
  await recordFrameEvent(trx, random, { serial, type: 'picture', at: now, payload });
}
