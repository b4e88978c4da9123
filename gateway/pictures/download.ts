/**
 * The bytes a frame fetches, and the server's own record that it took them all. This record, not the frame's word, is
 * what `synced` rests on (W-11 to W-13).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TraitsOf } from '../frames/dialect-traits.ts';
import { recordEvent } from '../frames/event-log.ts';
import { type FrameRow, frameRegistry } from '../frames/registry.ts';
import type { Clock } from '../runtime/clock.ts';
import { type Database, type Transaction, transact } from '../runtime/database.ts';
import type { DurableFolder } from '../runtime/durable-folder.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Meter } from '../runtime/meter.ts';
import type { Random } from '../runtime/random.ts';
import { type AnswersUnderWay, answersUnderWay } from './answers-under-way.ts';
import type { DownloadsBeingJudged } from './being-judged.ts';
import { type Asked, askedOf, type BytePart } from './byte-range.ts';
import { coversWhole, type EndedAnswer } from './coverage.ts';
import { sentWhole } from './sent-whole.ts';
import { coverageOf, downloadPathCharacters, type UploadRow, uploadLog } from './upload-log.ts';
import { writeBody } from './write-body.ts';

/** How long a replaced picture can still be fetched: a cycle that began before must be able to end (W-07, W-11). */
const keptAfterReplacementMs = 15 * 60_000;
/** What downloads are handed. */
export interface DownloadEdges {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly pictures: DurableFolder;
  readonly traitsOf: TraitsOf;
  readonly logger: Logger;
  readonly meter?: Meter | undefined;
  readonly reported: (serial: string) => void;
  readonly beingJudged: DownloadsBeingJudged;
}

/** Answers requests for pictures; returns false for every other path. */
export function pictureDownloads(
  edges: DownloadEdges,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const underWay = answersUnderWay();
  return (request, response) => {
    const path = request.url ?? '';
    if (!path.startsWith('/f/') || path.length !== downloadPathCharacters) return false;
    answer(edges, underWay, path, request, response).catch((error: unknown) => {
      edges.logger.error({ error }, 'picture download failed');
      // W-11: no answer at all makes the frame keep its version and come again.
      response.socket?.destroy();
    });
    return true;
  };
}

async function answer(
  edges: DownloadEdges,
  underWay: AnswersUnderWay,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const upload = await uploadLog(edges.db).byPath(path);
  if (upload === undefined || (request.method !== 'GET' && request.method !== 'HEAD')) {
    response.writeHead(upload === undefined ? 404 : 405, { 'content-length': 0, connection: 'close' }).end();
    return;
  }
  const expired = upload.replaced_at !== null && edges.clock.now() > upload.replaced_at + keptAfterReplacementMs;
  // W-10: an answer is started only with the whole file in hand.
  const file = expired ? undefined : await edges.pictures.get(upload.picture_sha256);
  if (file === undefined) {
    response.socket?.destroy();
    return;
  }
  const etag = `"${upload.picture_sha256}"`;
  const asked = askedOf(request.method === 'GET' ? request.headers : {}, file.length, etag);
  writeHead(response, asked, file.length, etag);
  if (request.method === 'HEAD' || asked === 'unchanged' || asked === 'unsatisfiable') {
    response.end();
    return;
  }
  await send(edges, underWay, upload, asked, file, response);
}

/** W-08, W-09: 200, identity, exact length, nothing cached on the way. Anything else only to who asks for it. */
function writeHead(response: ServerResponse, asked: Asked, bytes: number, etag: string): void {
  const common = { 'cache-control': 'private, no-transform', etag, 'accept-ranges': 'bytes', connection: 'close' };
  const type = { 'content-type': 'application/octet-stream' };
  if (asked === 'unchanged') response.writeHead(304, common);
  else if (asked === 'unsatisfiable') {
    response.writeHead(416, { ...common, 'content-range': `bytes */${bytes}`, 'content-length': 0 });
  } else if (asked === 'whole') response.writeHead(200, { ...common, ...type, 'content-length': bytes });
  else {
    const { from, end } = asked;
    const range = `bytes ${from}-${end - 1}/${bytes}`;
    response.writeHead(206, { ...common, ...type, 'content-range': range, 'content-length': end - from });
  }
}

/** Sends the file or a part of it, and records what it proves. Resolves when the sending has begun. */
async function send(
  edges: DownloadEdges,
  underWay: AnswersUnderWay,
  upload: UploadRow,
  asked: 'whole' | BytePart,
  file: Uint8Array,
  response: ServerResponse,
): Promise<void> {
  const part = asked === 'whole' ? { from: 0, end: file.length } : asked;
  const log = uploadLog(edges.db);
  // Asked in this order: an answer leaves the list only after it was recorded.
  const live = underWay.handed(upload);
  const ended = asked === 'whole' ? undefined : await log.find(upload.id);
  const handedBefore = [...live, ...(ended === undefined ? [] : coverageOf(ended).handed)];
  // W-13: only whole files are counted, so that a part cannot stand for the probe.
  const ordinal = asked === 'whole' ? await log.countGet(upload.id) : 0;
  const judged = sentWhole(response, part.end - part.from, edges.clock, () =>
    edges.beingJudged.begin(upload.serial, recorded),
  );
  const writtenBytes = writeBody(response, file.subarray(part.from, part.end));
  const forget = underWay.begin(upload, () => [part.from, part.from + writtenBytes()]);
  const recorded = judged
    .then((takenAt) => {
      const outcome = takenAt === undefined ? 'broken' : asked === 'whole' ? 'whole' : 'part';
      edges.meter?.count('papergate_downloads_total', { outcome });
      if (asked === 'whole' && takenAt !== undefined) return recordFetch(edges, upload, ordinal, takenAt);
      const handedEnd = part.from + writtenBytes();
      return recordPart(edges, upload, { ...part, handedEnd, handedBefore, isTaken: takenAt !== undefined }, takenAt);
    })
    .catch((error: unknown) => {
      edges.logger.error({ error }, 'download not recorded');
    })
    .finally(forget);
}

async function recordFetch(edges: DownloadEdges, upload: UploadRow, ordinal: number, at: number): Promise<void> {
  const fetched = await transact(edges.db, async (trx) => {
    const frame = await frameRegistry(trx).known(upload.serial);
    // W-13: the first GET is a redirect probe, whose body is dropped.
    if (edges.traitsOf(frame.dialect).probesFirst && ordinal < 2) return false;
    return markFetched(edges, trx, frame, upload, at);
  });
  if (fetched) edges.reported(upload.serial);
}

/** Records an answer that was not the whole file, taken whole: it counts together with others (docs/decisions/0005). */
async function recordPart(
  edges: DownloadEdges,
  upload: UploadRow,
  answer: EndedAnswer,
  at: number | undefined,
): Promise<void> {
  if (answer.handedEnd === answer.from) return;
  const fetched = await transact(edges.db, async (trx) => {
    const frame = await frameRegistry(trx).known(upload.serial);
    // W-13: without a digest of its own a frame cannot tell that the parts fit together.
    if (!edges.traitsOf(frame.dialect).knowsDigests) return false;
    const coverage = await uploadLog(trx).cover(upload, answer);
    if (at === undefined || coverage === undefined || !coversWhole(coverage, upload.picture_bytes)) return false;
    return markFetched(edges, trx, frame, upload, at);
  });
  if (fetched) edges.reported(upload.serial);
}

async function markFetched(
  edges: DownloadEdges,
  trx: Transaction,
  frame: FrameRow,
  upload: UploadRow,
  at: number,
): Promise<boolean> {
  const { id: uploadId, serial, file_version: fileVersion, picture_bytes: bytes } = upload;
  // T-47: asked for before the frame was told of it, so by a copy of it; it must not stand where the frame's own belongs.
  if (upload.announced_at === null) return false;
  if ((await uploadLog(trx).fetched(uploadId, fileVersion, at)) === 0) return false;
  // A quick frame may have said that it shows it while this was still being judged.
  const now = await uploadLog(trx).find(uploadId);
  const isShown = now?.shown_at !== null && frame.cycle_upload === uploadId;
  if (!edges.traitsOf(frame.dialect).knowsDigests && isShown) {
    await frameRegistry(trx).change(serial, { picture_synced: 1 }, at);
  }
  const payload = { stage: 'fetched', uploadId, fileVersion, bytes };
  await recordEvent(trx, edges.random, { serial, type: 'picture', at, payload });
  return true;
}
