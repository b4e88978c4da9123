/**
 * Sends picture files to frames, and records which of them a frame took whole. `synced` rests on this record of the
 * server's own, not on the frame's report.
 */
import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { type Database, type Transaction, transact } from '../../runtime/database/database.ts';
import type { DurableFolder } from '../../runtime/disk/durable-folder.ts';
import { type FilesInHand, filesInHand } from '../../runtime/disk/files-in-hand.ts';
import { sharedBudget } from '../../runtime/shared-budget.ts';
import type { TraitsOf } from '../frames/dialect-traits.ts';
import { type EventFacts, recordFrameEvent } from '../frames/event-log.ts';
import type { FrameMeter } from '../frames/frame-measures.ts';
import { type FrameRow, frameRegistry } from '../frames/registry.ts';
import { type AnswersUnderWay, answersUnderWay } from './answers-under-way.ts';
import type { DownloadsBeingJudged } from './being-judged.ts';
import { askedOf, type BytePart } from './byte-range.ts';
import { addCoverage, countGet } from './count-downloads.ts';
import { coversWhole, type EndedAnswer } from './coverage.ts';
import { writeDownloadHead } from './download-head.ts';
import { readPicture } from './read-picture.ts';
import { sentWhole } from './sent-whole.ts';
import { uploadLog } from './upload-log.ts';
import { coverageOf, downloadPathCharacters, polledPrefix, type UploadRow } from './upload-row.ts';
import { writeBody } from './write-body.ts';

/** How long a replaced picture can still be fetched, because a cycle that began before must be able to end (W-07). */
const keptAfterReplacementMs = 15 * 60_000;
/** The most bytes of pictures that are in memory to be sent to frames, each picture counted once (T-61). */
const sendingBytes = 128 * 1024 * 1024;

/** Returns whether a download of a picture was made by the frame that it was offered to. */
export type IsOwnDownload = (db: Database, upload: UploadRow, headers: IncomingHttpHeaders) => Promise<boolean>;

export interface DownloadDeps extends CommonDeps {
  readonly pictures: Pick<DurableFolder, 'get'>;
  readonly lost: () => void;
  readonly traitsOf: TraitsOf;
  readonly meter?: FrameMeter | undefined;
  readonly reported: (serial: string) => void;
  readonly beingJudged: DownloadsBeingJudged;
  /** Judges whose download it is, by the dialect in the row of a frame. */
  readonly isOwnDownload?: (dialect: string | null) => IsOwnDownload | undefined;
}

/**
 * Sends the picture of an offer as the answer to a frame's own request, whole and with these headers, and records it as
 * any other download.
 * @returns false when there is nothing to send: the file is lost, or the frame changed hands
 */
export type SendPicture = (
  upload: UploadRow,
  response: ServerResponse,
  headers: OutgoingHttpHeaders,
) => Promise<boolean>;

/** Creates the sending of pictures: `serve` handles requests of downloads, and returns false for every other path. */
export function pictureDownloads(deps: DownloadDeps): {
  readonly serve: (request: IncomingMessage, response: ServerResponse) => boolean;
  readonly send: SendPicture;
} {
  const all = { ...deps, underWay: answersUnderWay(), inHand: filesInHand(sharedBudget(sendingBytes)) };
  return {
    serve(request, response) {
      const asked = request.url ?? '';
      // Frames that poll find their pictures below the base address that they know.
      const path = asked.startsWith(`${polledPrefix}/f/`) ? asked.slice(polledPrefix.length) : asked;
      if (!path.startsWith('/f/') || path.length !== downloadPathCharacters) return false;
      answer(all, path, request, response).catch((error: unknown) => {
        deps.logger.error({ error }, 'picture download failed');
        // W-11: a frame that gets no answer at all keeps its version and comes again.
        response.socket?.destroy();
      });
      return true;
    },
    async send(upload, response, headers) {
      const found = await fileToSend(all, upload, response);
      if (found === undefined) return response.socket?.destroyed !== false;
      response.writeHead(200, { ...headers, 'content-length': found.file.length, connection: 'close' });
      await send(all, found, 'whole', response);
      return true;
    },
  };
}

/** The dependencies, with the answers and files that are being sent. */
interface Downloads extends DownloadDeps {
  readonly underWay: AnswersUnderWay;
  readonly inHand: FilesInHand;
}

async function answer(
  deps: Downloads,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const upload = await uploadLog(deps.db).byPath(path);
  if (upload === undefined || (request.method !== 'GET' && request.method !== 'HEAD')) {
    response.writeHead(upload === undefined ? 404 : 405, { 'content-length': 0, connection: 'close' }).end();
    return;
  }
  const found = await fileToSend(deps, upload, response);
  if (found === undefined) {
    response.socket?.destroy();
    return;
  }
  const bytes = found.file.length;
  const etag = `"${upload.picture_sha256}"`;
  const asked = askedOf(request.method === 'GET' ? request.headers : {}, bytes, etag);
  writeDownloadHead(response, asked, { bytes, etag, format: upload.format });
  if (request.method === 'HEAD' || asked === 'unchanged' || asked === 'unsatisfiable') {
    response.end();
    return;
  }
  const isOwn = deps.isOwnDownload?.(found.upload.dialect);
  if (isOwn === undefined || (await isOwn(deps.db, upload, request.headers))) return send(deps, found, asked, response);
  // T-116: anyone who has the address of the picture is sent it, and proves nothing.
  deps.logger.info({ frame: upload.serial }, 'a picture was downloaded by somebody who is not its frame');
  response.end(asked === 'whole' ? found.file : found.file.subarray(asked.from, asked.end));
}

/** W-10: an answer is started only with the whole file in hand. @returns undefined when there is nothing to send, or nobody */
async function fileToSend(
  deps: Downloads,
  upload: UploadRow,
  response: ServerResponse,
): Promise<FileToSend | undefined> {
  const expired = upload.replaced_at !== null && deps.clock.now() > upload.replaced_at + keptAfterReplacementMs;
  // T-63: an address from a former owner's time opens nothing, no matter who kept it.
  const owner = await uploadLog(deps.db).ownerOf(upload);
  if (expired || owner === undefined) return undefined;
  const { picture_sha256: key, serial } = upload;
  const inHand = await deps.inHand.take(key, serial, () => readPicture(deps, upload));
  const { socket } = response;
  if (inHand === undefined || socket === null || socket.destroyed) {
    inHand?.letGo();
    return undefined;
  }
  socket.once('close', inHand.letGo);
  return { file: inHand.bytes, upload: { ...upload, epoch: owner.session_epoch, dialect: owner.dialect } };
}

/** The upload as it was when its download began, with the frame's `session_epoch` and dialect of that moment. */
type BegunUpload = UploadRow & { readonly epoch: number; readonly dialect: string | null };

interface FileToSend {
  readonly upload: BegunUpload;
  readonly file: Uint8Array;
}

/** Sends the file or a part of it, and records the outcome. Resolves when the sending has begun. */
async function send(
  deps: Downloads,
  { upload, file }: FileToSend,
  asked: 'whole' | BytePart,
  response: ServerResponse,
): Promise<void> {
  const part = asked === 'whole' ? { from: 0, end: file.length } : asked;
  const log = uploadLog(deps.db);
  // The list is read before the log, because an answer leaves the list only after it was recorded.
  const live = deps.underWay.handed(upload);
  const ended = asked === 'whole' ? undefined : await log.find(upload.id);
  const handedBefore = [...live, ...(ended === undefined ? [] : coverageOf(ended).handed)];
  // W-13: only whole files are counted, so that a part cannot stand for the probe.
  const ordinal = asked === 'whole' ? await countGet(deps.db, upload.id) : 0;
  const judged = sentWhole(response, part.end - part.from, deps.clock, () =>
    deps.beingJudged.begin(upload.serial, recorded),
  );
  const writtenBytes = writeBody(response, file.subarray(part.from, part.end));
  const forget = deps.underWay.begin(upload, () => [part.from, part.from + writtenBytes()]);
  const recorded = judged
    .then((takenAt) => {
      const outcome = takenAt === undefined ? 'broken' : asked === 'whole' ? 'whole' : 'part';
      deps.meter?.count('papergate_downloads_total', { outcome });
      if (asked === 'whole' && takenAt !== undefined) return recordFetch(deps, upload, ordinal, takenAt);
      const handedEnd = part.from + writtenBytes();
      return recordPart(deps, upload, { ...part, handedEnd, handedBefore, isTaken: takenAt !== undefined }, takenAt);
    })
    .catch((error: unknown) => {
      deps.logger.error({ error }, 'download not recorded');
    })
    .finally(forget);
}

async function recordFetch(deps: DownloadDeps, upload: BegunUpload, ordinal: number, at: number): Promise<void> {
  const fetched = await transact(deps.db, async (trx) => {
    const frame = await frameRegistry(trx).known(upload.serial);
    const { probesFirst, knowsDigests } = deps.traitsOf(frame.dialect);
    // W-13: the first GET is a redirect probe, and the frame drops its body.
    if (probesFirst && ordinal < 2) return false;
    // W-13: such a frame proves a picture within one wake, and this download began in an earlier one. It is recorded so
    // late only when another node noticed the wake, which cannot wait for it, or when this process was held up.
    if (!knowsDigests && frame.session_epoch !== upload.epoch) return false;
    return markFetched(deps, trx, { frame, upload, at });
  });
  if (fetched) deps.reported(upload.serial);
}

/** Records an answer that was a part, or was broken off: such answers count together (docs/decisions/0005). */
async function recordPart(
  deps: DownloadDeps,
  upload: UploadRow,
  answer: EndedAnswer,
  at: number | undefined,
): Promise<void> {
  if (answer.handedEnd === answer.from) return;
  const fetched = await transact(deps.db, async (trx) => {
    const frame = await frameRegistry(trx).known(upload.serial);
    // W-13: a frame that computes no digest cannot tell whether the parts fit together.
    if (!deps.traitsOf(frame.dialect).knowsDigests) return false;
    const coverage = await addCoverage(trx, upload, answer);
    if (at === undefined || coverage === undefined || !coversWhole(coverage, upload.picture_bytes)) return false;
    return markFetched(deps, trx, { frame, upload, at });
  });
  if (fetched) deps.reported(upload.serial);
}

async function markFetched(
  deps: DownloadDeps,
  trx: Transaction,
  { frame, upload, at }: { readonly frame: FrameRow; readonly upload: UploadRow; readonly at: number },
): Promise<boolean> {
  const { id: uploadId, serial, file_version: fileVersion, picture_bytes: bytes } = upload;
  // T-63: the frame changed hands while the picture was being sent.
  if (frame.ownership !== upload.ownership) return false;
  // T-47: a download that began before the announcement was made by a copy of the frame, and must not count as its own.
  if (upload.announced_at === null) return false;
  if ((await uploadLog(trx).fetched(uploadId, fileVersion, at)) === 0) return false;
  // A quick frame may have reported the picture as shown while its download was still being judged.
  const now = await uploadLog(trx).find(uploadId);
  const isShown = now?.shown_at !== null && frame.cycle_upload === uploadId;
  if (!deps.traitsOf(frame.dialect).knowsDigests && isShown) {
    await frameRegistry(trx).change(serial, { picture_synced: 1 }, at);
  }
  const payload: EventFacts = { stage: 'fetched', uploadId, fileVersion, bytes };
  await recordFrameEvent(trx, deps.random, { serial, type: 'picture', at, payload });
  return true;
}
