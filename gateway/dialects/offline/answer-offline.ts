/** The answers to frames with the offline firmware: a picture of known length, or 304, and the sleep in either (OF-5, OF-10). */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { modifiedOf, offlineSleep, offlineSleepHeader } from '../../../firmware-protocol/offline/wire.ts';
import { namesTag } from '../../../firmware-protocol/plain/picture-tag.ts';
import { transact } from '../../../runtime/database/database.ts';
import { inBackground } from '../../../runtime/in-background.ts';
import { panelOfFrame } from '../../frames/named-panel.ts';
import type { FrameRow } from '../../frames/registry.ts';
import { drawNeutral, neutralOf } from '../../pictures/neutral-picture.ts';
import { sentWhole } from '../../pictures/sent-whole.ts';
import type { PolledDeps } from '../dialect.ts';
import { earlierOffers, validatorsOf } from './choose-offline.ts';
import { lookOffline, takeOfflineCall } from './offline-wake.ts';

/** The bytes of pictures are those of a BMP, and no proxy may change or compress them. */
const fixed = { 'cache-control': 'private, no-store, no-transform', vary: 'authorization', 'accept-ranges': 'none' };
const bitmap = 'image/bmp';

/** A call of a frame that was let in. */
interface LetIn {
  readonly serial: string;
  readonly isLook: boolean;
  /** The value of `If-None-Match`. */
  readonly held: string | undefined;
}

/** Answers a call. */
export async function answerOffline(deps: PolledDeps, call: LetIn, response: ServerResponse): Promise<void> {
  const { db, clock, random } = deps;
  const { serial, held } = call;
  if (!call.isLook) await deps.downloadsRecorded(serial);
  const isBeingMade = deps.isBeingMade?.(serial);
  const told = call.isLook
    ? await lookOffline(db, call, clock.now())
    : await transact(db, (trx) => takeOfflineCall(trx, { ...call, isBeingMade }, { now: clock.now(), random }));
  if (!call.isLook) deps.reported(serial);
  const headers = { ...fixed, [offlineSleepHeader]: offlineSleep(told.sleepSeconds) };
  if (told.unchanged !== undefined) {
    return sayUnchanged(deps, call, { ...headers, etag: told.unchanged }, response);
  }
  const { upload, frame } = told;
  const typed = { ...headers, 'content-type': bitmap };
  if (upload !== undefined && (await deps.sendPicture(upload, response, { ...typed, ...validatorsOf(upload) }))) return;
  if (frame.activation === 'activated') {
    // OF-8: the file is lost, or a picture is being made. The one before is better than an error text.
    for (const earlier of await earlierOffers(db, frame)) {
      if (await deps.sendPicture(earlier, response, { ...typed, ...validatorsOf(earlier) })) return;
    }
  }
  await saySheet(frame, held, headers, response);
}

/** Answers that the picture is unchanged, and records that the frame took the answer: one that did not shows an error text. */
function sayUnchanged(
  { db, clock, logger }: PolledDeps,
  { serial, isLook }: LetIn,
  headers: OutgoingHttpHeaders,
  response: ServerResponse,
): void {
  const calledAt = clock.now();
  response.writeHead(304, { ...headers, connection: 'close' });
  if (response.socket !== null && !isLook) {
    const taken = sentWhole(response, 0, clock);
    inBackground(logger, 'record an answer', async () => {
      if ((await taken) === undefined) return;
      await db('offline_frames').where({ serial }).where('called_at', '<=', calledAt).update({ was_taken: 1 });
    });
  }
  response.end();
}

/** Answers with the quiet sheet of the frame's panel: it stands for no offer, and proves nothing. */
async function saySheet(
  frame: FrameRow,
  held: string | undefined,
  headers: OutgoingHttpHeaders,
  response: ServerResponse,
): Promise<void> {
  const panel = panelOfFrame(frame);
  if (panel === undefined) {
    return sayOffline(response, 409, { error: 'its kind is not known', hint: 'choose its kind' }, headers);
  }
  const { sha256, bytes } = await neutralOf(panel);
  const etag = `"waiting-${sha256.slice(0, 16)}"`;
  if (namesTag(held, etag)) {
    response.writeHead(304, { ...headers, etag, connection: 'close' }).end();
    return;
  }
  const { file } = await drawNeutral(panel);
  const named = { etag, 'last-modified': modifiedOf(0), 'content-type': bitmap, 'content-length': bytes };
  response.writeHead(200, { ...headers, ...named, connection: 'close' }).end(file);
}

/** Answers with a refusal, as a sentence and what to do. */
export function sayOffline(
  response: ServerResponse,
  status: number,
  problem: { readonly error: string; readonly hint: string },
  more: OutgoingHttpHeaders = {},
): void {
  const text = `${JSON.stringify(problem)}\n`;
  const length = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  response.writeHead(status, { ...fixed, ...more, ...length, connection: 'close' }).end(text);
}
