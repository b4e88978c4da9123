/** Which picture is announced to a frame that polls, and under which name. */
import { pictureName } from '../../../firmware-protocol/trmnl/picture-name.ts';
import { isOwnRate } from '../../../firmware-protocol/trmnl/refresh-rate.ts';
import { isUnreadFirmware, rangeOfFirmware } from '../../../firmware-protocol/trmnl/versions.ts';
import { nextFileVersion } from '../../../firmware-protocol/versions.ts';
import type { Transaction } from '../../../runtime/database/database.ts';
import { allRows } from '../../../runtime/database/plain-sql.ts';
import type { Moment } from '../../../runtime/moment.ts';
import { recordFrameEvent } from '../../frames/event-log.ts';
import { whyNotDrawn } from '../../frames/named-panel.ts';
import type { FrameRow } from '../../frames/registry.ts';
import { offerNeutral } from '../../pictures/neutral-picture.ts';
import { uploadLog } from '../../pictures/upload-log.ts';
import type { UploadRow } from '../../pictures/upload-row.ts';
import type { Doubt, WakeVerdict } from './judge-wake.ts';
import { latelyTold, type PolledAnswerRow } from './last-answers.ts';

const dayMs = 24 * 3_600_000;

/** The most pictures in doubt that are announced again to a frame on one day under a fresh name: each costs it a refresh. */
export const afreshPerDay = 4;

/** The shortest time between two pictures that are announced afresh because an error screen covers them: one redraw a day. */
export const healingEveryMs = dayMs;

/** A wake and its moment, as far as they decide what is announced. */
export interface ToldFor extends Moment {
  readonly frame: FrameRow;
  /** The newest offer to the frame, if there is one. */
  readonly newest: UploadRow | undefined;
  readonly last: PolledAnswerRow | undefined;
  /** The verdict on the newest offer, where the last answer announced it. */
  readonly verdict: WakeVerdict | undefined;
  readonly echoed: number | undefined;
  readonly firmware: string | undefined;
}

/** The part of a stored answer that counts pictures announced afresh. */
type Afresh = Pick<PolledAnswerRow, 'afresh' | 'afresh_from' | 'covered_by' | 'healed_at'>;

/** The picture to announce, and what is kept with the answer. */
export interface AnsweredPicture {
  readonly upload: UploadRow;
  readonly kept: Afresh;
}

/** The count of pictures announced afresh as it stands now. */
export function afreshOf(last: PolledAnswerRow | undefined, now: number): Afresh {
  const healed_at = last?.healed_at ?? null;
  const isOver = last === undefined || now >= last.afresh_from + dayMs;
  const count = isOver ? { afresh: 0, afresh_from: now } : { afresh: last.afresh, afresh_from: last.afresh_from };
  return { ...count, covered_by: null, healed_at };
}

/**
 * Chooses the picture: the newest offer, announced again in each wake until it is proven. One that was begun and is in
 * doubt gets a fresh version and with it a fresh name, because the frame may keep what it has under the old one. So does a
 * proven one that an error screen may cover.
 * @returns undefined when there is nothing that this frame could draw
 */
export async function tellPicture(trx: Transaction, told: ToldFor): Promise<AnsweredPicture | undefined> {
  const { frame, last, now } = told;
  const log = uploadLog(trx);
  const newest = told.newest ?? (await offerNeutral(trx, frame, frame.reported_version, told));
  if (newest === undefined || whyNotDrawn(frame, newest.panel) !== undefined || newest.remake_at !== null)
    return undefined;
  const kept = afreshOf(last, now);
  if (last?.upload_id !== newest.id || last.file_version !== newest.file_version) {
    await log.announced(newest.id, now, true);
    return { upload: newest, kept };
  }
  if (newest.confirmed_at !== null) return heal(trx, told, newest, kept);
  const doubts = whyAnew(told, newest);
  const [reason] = doubts;
  if (reason === undefined) return { upload: newest, kept };
  await noteEvent(trx, told, { stage: 'doubted', ...named(newest), because: doubts });
  if (newest.gets === 0) {
    await log.announced(newest.id, now, true);
    return { upload: newest, kept };
  }
  if (kept.afresh >= afreshPerDay || !hasVersion(told)) return { upload: newest, kept };
  const upload = await tellAfresh(trx, told, newest, reason);
  return { upload, kept: { ...kept, afresh: kept.afresh + 1 } };
}

/** Announces a proven picture afresh, once a day, where an error screen may cover it; it stays covered until then. */
async function heal(trx: Transaction, told: ToldFor, newest: UploadRow, kept: Afresh): Promise<AnsweredPicture> {
  const { last, now } = told;
  const known = last?.covered_by ?? null;
  const covered_by = known ?? (await whyCovered(trx, told)) ?? null;
  if (covered_by === null) return { upload: newest, kept };
  const nextAt = (last?.healed_at ?? Number.NEGATIVE_INFINITY) + healingEveryMs;
  if (now < nextAt || !hasVersion(told)) {
    if (known === null) {
      await noteEvent(trx, told, { stage: 'covered', ...named(newest), because: covered_by, healedAt: nextAt });
    }
    return { upload: newest, kept: { ...kept, covered_by } };
  }
  const upload = await tellAfresh(trx, told, newest, covered_by);
  return { upload, kept: { ...kept, healed_at: now } };
}

async function tellAfresh(trx: Transaction, told: ToldFor, newest: UploadRow, because: Doubt): Promise<UploadRow> {
  const upload = await uploadLog(trx).offerAgain(newest, told.frame, told);
  await uploadLog(trx).announced(upload.id, told.now, true);
  await noteEvent(trx, told, { stage: 'told again', ...named(upload), because });
  return upload;
}

const named = ({ id, file_version }: UploadRow) => ({ uploadId: id, fileVersion: file_version });

function noteEvent(
  trx: Transaction,
  { frame: { serial }, now: at, random }: ToldFor,
  payload: Readonly<Record<string, unknown>>,
): Promise<void> {
  return recordFrameEvent(trx, random, { serial, type: 'picture', at, payload });
}

/** True while a version is left under which a picture could be announced afresh. */
function hasVersion({ frame, now }: ToldFor): boolean {
  return nextFileVersion(frame.reported_version, frame.announced_version, now) !== undefined;
}

/** Returns why a picture that is not proven has to be announced again; empty when nothing speaks against it. */
function whyAnew({ verdict }: ToldFor, newest: UploadRow): readonly Doubt[] {
  if (verdict === undefined) return [];
  // A client that sends no echo is believed to have drawn what it took: it will never report more.
  if (verdict.cannotTell && newest.fetched_at !== null) return [];
  return verdict.doubts.filter((doubt) => doubt !== 'unknown firmware');
}

/**
 * Returns why an error screen may cover a picture that was proven before: the frame has since stored a value that it
 * stores with such a screen. Firmware that draws the picture again in each wake heals by itself.
 */
async function whyCovered(trx: Transaction, told: ToldFor): Promise<Doubt | undefined> {
  const { verdict, firmware, echoed, last, now } = told;
  const range = rangeOfFirmware(firmware);
  if (verdict === undefined || last === undefined || echoed === undefined) return undefined;
  if (range?.keepsErrorScreen !== true) return undefined;
  // Such firmware has stored it after the last answer, whose name it knew: it would be away longer after a failure.
  const hasSlept = echoed === 900 && now - last.at < 900_000 * 1.1 + 60_000;
  if (range.failsUnchanged && hasSlept) return undefined;
  const { quietSeconds, shownFailure } = range;
  // A frame may also hand over its log at a later wake: by then it has been sent the value that it echoes.
  const isShown = shownFailure !== undefined && (await failuresOfService(trx, told.frame, last.at)) >= shownFailure;
  if (isShown || quietSeconds.includes(echoed)) {
    return isShown ? logged : undefined;
  }
  // W-44: a version that nobody has read may store any value with a screen, but not one that it was sent.
  const isItsOwn = isOwnRate(echoed) || (isUnreadFirmware(firmware) && !latelyTold(last).includes(echoed));
  return isItsOwn ? stored : undefined;
}

const stored: Doubt = 'the frame stored a value of its own';
const logged: Doubt = 'the frame logged an error';

/** Counts the failures of the service that a frame has logged since. It logs those of its Wi-Fi in other words. */
async function failuresOfService(trx: Transaction, { serial }: FrameRow, since: number): Promise<number> {
  const sql = "select payload from frame_events where serial = ? and type = 'log' and at > ?";
  const rows = await allRows<{ payload: string }>(trx, sql, [serial, since]);
  const said = rows.map(({ payload }) => JSON.parse(payload) as { level?: string; message?: string });
  return said.filter(({ level, message }) => level === 'error' && !message?.startsWith('Connection failed!')).length;
}

/** The name under which an offer is announced to a frame. */
export function nameOfOffer({ picture_sha256, file_version }: UploadRow): string {
  return pictureName(picture_sha256, file_version);
}
