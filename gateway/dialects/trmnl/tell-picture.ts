/** Which picture a frame that polls is told, and under which name. */
import { pictureName } from '../../../firmware-protocol/trmnl/picture-name.ts';
import { isOwnRate } from '../../../firmware-protocol/trmnl/refresh-rate.ts';
import { rangeOfFirmware } from '../../../firmware-protocol/trmnl/versions.ts';
import { nextFileVersion } from '../../../firmware-protocol/versions.ts';
import type { Transaction } from '../../../runtime/database.ts';
import type { Random } from '../../../runtime/random.ts';
import { eventDayOf } from '../../frames/event-days.ts';
import { recordFrameEvent } from '../../frames/event-log.ts';
import { whyNotDrawn } from '../../frames/named-panel.ts';
import type { FrameRow } from '../../frames/registry.ts';
import { offerNeutral } from '../../pictures/neutral-picture.ts';
import { uploadLog } from '../../pictures/upload-log.ts';
import type { UploadRow } from '../../pictures/upload-row.ts';
import type { Doubt, WakeVerdict } from './judge-wake.ts';
import type { PolledAnswerRow } from './last-answers.ts';

/** The most pictures that a frame is told again on one day under a fresh name: each costs it a refresh. */
const afreshPerDay = 4;

/** A wake, as far as it decides what is told. */
export interface ToldFor {
  readonly frame: FrameRow;
  readonly last: PolledAnswerRow | undefined;
  /** The verdict on the newest offer, where the last answer told it. */
  readonly verdict: WakeVerdict | undefined;
  readonly echoed: number | undefined;
  readonly firmware: string | undefined;
  readonly now: number;
}

/** The picture to tell. */
export interface ToldPicture {
  readonly upload: UploadRow;
  /** True when it is told under a name that the frame has not seen, so that it draws it again. */
  readonly isAfresh: boolean;
}

/**
 * Chooses the picture: the newest offer, announced anew in each wake until it is proven. One that was begun and is in
 * doubt gets a fresh version and with it a fresh name, because the frame may keep what it has under the old one. So does a
 * proven one that an error screen may cover.
 * @returns undefined when there is nothing that this frame could draw
 */
export async function tellPicture(trx: Transaction, told: ToldFor, random: Random): Promise<ToldPicture | undefined> {
  const { frame, last, now } = told;
  const log = uploadLog(trx);
  const newest =
    (await log.newest(frame.serial)) ?? (await offerNeutral(trx, frame, frame.reported_version, now, random));
  if (newest === undefined || whyNotDrawn(frame, newest.panel) !== undefined || newest.remake_at !== null)
    return undefined;
  if (last?.upload_id !== newest.id || last.file_version !== newest.file_version) {
    await log.announced(newest.id, now, true);
    return { upload: newest, isAfresh: false };
  }
  const reason = newest.confirmed_at === null ? whyAnew(told, newest) : whyCovered(told);
  if (reason === undefined) return { upload: newest, isAfresh: false };
  const isNamedAfresh = newest.confirmed_at !== null || newest.gets > 0;
  if (!isNamedAfresh) {
    await log.announced(newest.id, now, true);
    return { upload: newest, isAfresh: false };
  }
  if (
    !mayTellAfresh(last, now) ||
    nextFileVersion(frame.reported_version, frame.announced_version, now) === undefined
  ) {
    return { upload: newest, isAfresh: false };
  }
  const again = await log.offerAgain(newest, frame, now, random);
  await log.announced(again.id, now, true);
  const payload = { stage: 'told again', uploadId: again.id, fileVersion: again.file_version, because: reason };
  await recordFrameEvent(trx, random, { serial: frame.serial, type: 'picture', at: now, payload });
  return { upload: again, isAfresh: true };
}

/** Why a picture that is not proven has to be announced again; undefined when nothing speaks against it. */
function whyAnew({ verdict }: ToldFor, newest: UploadRow): Doubt | undefined {
  if (verdict === undefined) return undefined;
  // A client that sends no echo is believed to have drawn what it took: it will never say more.
  if (verdict.cannotTell && newest.fetched_at !== null) return undefined;
  return verdict.doubts.find((doubt) => doubt !== 'unknown firmware');
}

/**
 * Why an error screen may cover a picture that was proven before: the frame stored a value of its own since, logged an
 * error, or stayed away. Firmware that draws the picture anew in each wake heals by itself.
 */
function whyCovered({ verdict, firmware, echoed }: ToldFor): Doubt | undefined {
  if (verdict === undefined || rangeOfFirmware(firmware)?.keepsErrorScreen !== true) return undefined;
  if (echoed !== undefined && isOwnRate(echoed)) return 'the frame stored a value of its own';
  return verdict.doubts.find((doubt) => doubt === 'woke too late' || doubt === 'the frame logged an error');
}

/** True while the day's budget is not used up. */
export function mayTellAfresh({ afresh, afresh_day }: PolledAnswerRow, now: number): boolean {
  return afresh_day !== eventDayOf(now) || afresh < afreshPerDay;
}

/** The name under which a frame is told an offer. */
export function nameOfOffer({ picture_sha256, file_version }: UploadRow): string {
  return pictureName(picture_sha256, file_version);
}
