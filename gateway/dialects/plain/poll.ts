/** The poll: a wake is recorded, and answered with the picture, or with nothing where the frame has it already. */
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { panelOfKind } from '../../../firmware-protocol/panels.ts';
import type { PlainCall } from '../../../firmware-protocol/plain/header-names.ts';
import { namesTag, pictureTag } from '../../../firmware-protocol/plain/picture-tag.ts';
import { configPayloadHeader } from '../../../firmware-protocol/plain/rotate-cron.ts';
import { commandName } from '../../../runtime/command-here.ts';
import { type Database, type Transaction, transact } from '../../../runtime/database/database.ts';
import { expectTold } from '../../frames/expect-wake.ts';
import { panelBySize, panelOfFrame, whyNotDrawn } from '../../frames/named-panel.ts';
import { type FrameAtWake, recordWake } from '../../frames/record-report.ts';
import { type FrameRow, frameRegistry } from '../../frames/registry.ts';
import type { ToldSleep } from '../../frames/tell-sleep.ts';
import { type KnownOfWake, sleepToTell } from '../../frames/told-sleep.ts';
import { mediaTypeOf } from '../../pictures/download-head.ts';
import { drawNeutral, neutralOf } from '../../pictures/neutral-picture.ts';
import { uploadLog } from '../../pictures/upload-log.ts';
import type { UploadRow } from '../../pictures/upload-row.ts';
import type { PolledDeps } from '../dialect.ts';
import { choosePlain, isSaidShown } from './choose-plain.ts';
import { sayProblem, toldHeaders } from './say.ts';
import { timesFor } from './tell-times.ts';

/** How long a frame sleeps that has no picture yet, and one that belongs to nobody, in seconds. */
const waitSeconds = { withoutPicture: 300, nobodys: 900 };

interface PollAnswer {
  /** The picture; `sheet` for the quiet sheet of a frame that has none yet, undefined while one is being made. */
  readonly picture: { readonly upload: UploadRow; readonly isHeld: boolean } | 'sheet' | undefined;
  readonly frame: FrameRow;
  readonly sleepSeconds: number;
}

/** A call of a frame that was let in. */
interface Poll extends PlainCall {
  readonly serial: string;
  /** A HEAD looks, and is not a wake. */
  readonly isLook: boolean;
}

/** Answers a poll. */
export async function answerPoll(deps: PolledDeps, poll: Poll, response: ServerResponse): Promise<void> {
  const { serial, held, isLook } = poll;
  if (!isLook) await deps.downloadsRecorded(serial);
  const told = isLook
    ? await looked(deps.db, serial, deps.clock.now())
    : await transact(deps.db, (trx) => takePoll(deps, trx, poll));
  if (!isLook) deps.reported(serial);
  const headers = toldHeaders(told.sleepSeconds, deps.clock.now());
  if (told.picture === undefined) return sayLater(response, told.sleepSeconds, headers);
  if (told.picture === 'sheet') return saySheet(response, told.frame, { held, isLook, headers });
  const { upload, isHeld } = told.picture;
  const tagged = { ...headers, etag: pictureTag(upload.picture_sha256, upload.file_version) };
  if (isHeld) {
    response.writeHead(304, tagged).end();
    return;
  }
  const typed = {
    ...tagged,
    'content-type': mediaTypeOf(upload.format),
    'accept-ranges': 'none',
    ...(poll.configAt !== undefined && { [configPayloadHeader]: timesFor(told.frame, deps.clock.now()) }),
  };
  if (isLook) {
    response.writeHead(200, { ...typed, 'content-length': upload.picture_bytes }).end();
    return;
  }
  // T-67: the file is lost, and is being made again.
  if (!(await deps.sendPicture(upload, response, typed))) {
    sayLater(response, waitSeconds.withoutPicture, toldHeaders(waitSeconds.withoutPicture, deps.clock.now()));
  }
}

/** Records the wake, and chooses what the frame is sent. */
async function takePoll(deps: PolledDeps, trx: Transaction, poll: Poll): Promise<PollAnswer> {
  const { serial, held } = poll;
  const now = deps.clock.now();
  const moment = { now, random: deps.random };
  const frame = await frameRegistry(trx).known(serial);
  const { firmware, batteryMv, rssi, width, height } = poll;
  const said = width === undefined || height === undefined ? undefined : panelOfKind(`mono-${width}x${height}`);
  const report = {
    ...({ dialect: 'plain', wake: 'timer', orientation: undefined, firmware, batteryMv, rssi } as const),
    // Only a report can show that another version is on the glass.
    fileVersion: frame.reported_version,
    ...panelBySize(frame, said),
    ...(poll.batteryPercent !== undefined && { batteryPercent: poll.batteryPercent }),
  };
  const woken = await recordWake(trx, frame, report, moment);
  if (woken.kind !== frame.kind) await deps.kindNamed?.(trx, { serial, before: frame.kind, kind: woken.kind });
  const isSomebodys = woken.activation === 'activated';
  const picture = isSomebodys ? await choosePlain(trx, woken, held, moment) : ('sheet' as const);
  const upload = typeof picture === 'object' ? picture.upload : undefined;
  const mark = { cycle_upload: upload?.id ?? null, ...(upload && !isSaidShown(upload) && { picture_synced: 0 }) };
  await frameRegistry(trx).change(serial, mark, now);
  const isHeld = typeof picture === 'object' && picture.isHeld;
  const given = { upload, givesNew: upload !== undefined && !isHeld, isBeingMade: deps.isBeingMade?.(serial) };
  const told = await sleepOf(trx, woken, given, now);
  await expectTold(trx, serial, { told, awake: 0 }, now);
  return { picture, frame: woken, sleepSeconds: told.seconds };
}

/** Returns the answer that the next poll would get, for a request that only looks. */
async function looked(db: Database, serial: string, now: number): Promise<PollAnswer> {
  const frame = await frameRegistry(db).known(serial);
  const newest = frame.activation === 'activated' ? await uploadLog(db).newest(serial) : undefined;
  const isDrawable = newest !== undefined && whyNotDrawn(frame, newest.panel) === undefined;
  const upload = isDrawable && newest.remake_at === null ? newest : undefined;
  const { seconds: sleepSeconds } = await sleepOf(db, frame, { upload, givesNew: false }, now);
  if (upload !== undefined) return { picture: { upload, isHeld: false }, frame, sleepSeconds };
  return { picture: newest === undefined ? 'sheet' : undefined, frame, sleepSeconds };
}

/** The sleep after an answer; a frame that lacks its picture comes back for it soon. */
async function sleepOf(
  db: Database,
  frame: FrameAtWake,
  { upload, ...known }: KnownOfWake & { readonly upload: UploadRow | undefined },
  now: number,
): Promise<ToldSleep> {
  if (frame.activation !== 'activated') return { seconds: waitSeconds.nobodys, end: 'longest', at: null };
  const told = await sleepToTell(db, frame, known, now);
  if (upload !== undefined || told.seconds <= waitSeconds.withoutPicture) return told;
  return { seconds: waitSeconds.withoutPicture, end: 'proof', at: null };
}

function sayLater(response: ServerResponse, seconds: number, headers: OutgoingHttpHeaders): void {
  const hint = `ask again in ${seconds} seconds; ${commandName} devices why says what is missing`;
  const wait = { ...headers, 'retry-after': String(seconds) };
  sayProblem(response, 503, { error: 'the picture is being made', hint }, wait);
}

/** Answers with the quiet sheet of the frame's panel (W-42): it stands for no offer, and proves nothing. */
async function saySheet(
  response: ServerResponse,
  frame: FrameRow,
  asked: { readonly held: string | undefined; readonly isLook: boolean; readonly headers: OutgoingHttpHeaders },
): Promise<void> {
  const panel = panelOfFrame(frame);
  if (panel === undefined) {
    sayLater(response, waitSeconds.nobodys, asked.headers);
    return;
  }
  const { sha256, bytes } = await neutralOf(panel);
  const etag = `"waiting-${sha256.slice(0, 16)}"`;
  if (namesTag(asked.held, etag)) {
    response.writeHead(304, { ...asked.headers, etag }).end();
    return;
  }
  const typed = { 'content-type': mediaTypeOf(panel.packing), 'content-length': bytes, 'accept-ranges': 'none' };
  const file = asked.isLook ? undefined : (await drawNeutral(panel)).file;
  response.writeHead(200, { ...asked.headers, ...typed, etag }).end(file);
}
