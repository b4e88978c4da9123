/** Which picture a frame with the offline firmware is sent, under which tag, and what the tag proves that it names. */
import { modifiedOf } from '../../../firmware-protocol/offline/wire.ts';
import { namesTag, pictureTag, readPictureTag } from '../../../firmware-protocol/plain/picture-tag.ts';
import { nextFileVersion } from '../../../firmware-protocol/versions.ts';
import type { Database, Transaction } from '../../../runtime/database/database.ts';
import type { Moment } from '../../../runtime/moment.ts';
import { type EventFacts, recordFrameEvent } from '../../frames/event-log.ts';
import { panelOfFrame, whyNotDrawn } from '../../frames/named-panel.ts';
import { recordShown } from '../../frames/record-report.ts';
import type { FrameRow } from '../../frames/registry.ts';
import { offerNeutral } from '../../pictures/neutral-picture.ts';
import { uploadLog } from '../../pictures/upload-log.ts';
import { ofOwner, type UploadRow } from '../../pictures/upload-row.ts';
import type { OfflineRow } from './offline-rows.ts';

const dayMs = 24 * 3_600_000;
/** The most pictures that are sent to a frame under a fresh tag on one day: each costs it a refresh. */
export const afreshOfflinePerDay = 6;
/** The number of earlier pictures that are looked through for one whose file is there. */
const maxEarlier = 4;

/** A call of a frame that was let in, within its wake. */
export interface OfflineCall extends Moment {
  readonly frame: FrameRow;
  /** The value of `If-None-Match`. */
  readonly held: string | undefined;
  /** Its first call of the wake, which looks for a redirect and drops the body (OF-1). */
  readonly isLook: boolean;
  readonly wakeAt: number;
  /** Its row, with what this wake has found so far. */
  readonly row: OfflineRow;
}

/** The answer to a call. */
export interface OfflineChoice {
  /** The picture; undefined where none can be drawn just now. */
  readonly upload: UploadRow | undefined;
  /** The tag that is answered with 304. */
  readonly unchanged?: string;
  /** Columns of its row that this call changes. */
  readonly kept: Partial<OfflineRow>;
}

/** The headers that name the version of a picture: B and C keep the tag, A the time (OF-4). */
export function validatorsOf({ picture_sha256, file_version }: Pick<UploadRow, 'picture_sha256' | 'file_version'>) {
  return { etag: pictureTag(picture_sha256, file_version), 'last-modified': modifiedOf(file_version) };
}

/** Chooses the answer to a call. There is always one: a frame paints an error text over its picture otherwise (OF-8). */
export async function chooseOffline(trx: Transaction, call: OfflineCall): Promise<OfflineChoice> {
  const { frame, held, isLook } = call;
  const log = uploadLog(trx);
  const newest = (await log.newest(frame.serial)) ?? (await offerNeutral(trx, frame, frame.reported_version, call));
  if (newest === undefined || newest.remake_at !== null || whyNotDrawn(frame, newest.panel) !== undefined) {
    const unchanged = held === undefined ? undefined : await ownTag(trx, frame, held);
    return { upload: undefined, ...(unchanged && { unchanged }), kept: {} };
  }
  const tag = pictureTag(newest.picture_sha256, newest.file_version);
  const isNamed = namesTag(held, tag);
  const isDoubted = call.row.doubt !== null && call.row.doubt_version === newest.file_version;
  const isTaken = newest.fetched_at !== null && newest.failed_at === null;
  const kept = isNamed ? { names_tags: 1 } : {};
  if (isNamed && isTaken && !isDoubted) {
    await prove(trx, call, newest);
    return { upload: newest, unchanged: tag, kept };
  }
  // State A names no tag: it is asked to take a doubted picture again by another time.
  const mayCover = isTaken && isDoubted && (isNamed || (!isLook && held === undefined && call.row.names_tags === 0));
  if (mayCover || (isNamed && !isTaken)) return afresh(trx, call, newest, kept);
  return { upload: await announce(trx, call, newest), kept };
}

/**
 * Records the proof of a named tag: B and C keep the tag once the picture is drawn. The wake has to be a later one than that of
 * the download, and nothing may speak for an error text (OF-9).
 */
async function prove(trx: Transaction, call: OfflineCall, newest: UploadRow): Promise<void> {
  const { frame, wakeAt, now, random } = call;
  if (newest.fetched_at === null || newest.fetched_at >= wakeAt) return;
  if (newest.confirmed_at !== null && frame.picture_synced === 1) return;
  await uploadLog(trx).confirmed(newest.id, newest.file_version, now, 'named');
  const shown = { uploadId: newest.id, fileVersion: newest.file_version, synced: true };
  await recordShown(trx, frame, shown, { now, random });
}

/** Sends a picture that the frame names under a fresh tag: an error text may lie over it, or it was not seen to take it. */
async function afresh(
  trx: Transaction,
  call: OfflineCall,
  newest: UploadRow,
  kept: Partial<OfflineRow>,
): Promise<OfflineChoice> {
  const { frame, row, now, random } = call;
  const isOver = now >= row.afresh_from + dayMs;
  const [count, from] = isOver ? [0, now] : [row.afresh, row.afresh_from];
  const because = row.doubt_version === newest.file_version && row.doubt !== null ? row.doubt : 'not downloaded whole';
  const named = { uploadId: newest.id, fileVersion: newest.file_version, because };
  const hasVersion = nextFileVersion(frame.reported_version, frame.announced_version, now) !== undefined;
  if (count >= afreshOfflinePerDay || !hasVersion) {
    if (count === afreshOfflinePerDay) {
      const payload: EventFacts = { stage: 'covered', ...named, healedAt: from + dayMs };
      await recordFrameEvent(trx, random, { serial: frame.serial, type: 'picture', at: now, payload });
    }
    // One more than may be sent says that the event is recorded.
    const counted = { afresh: Math.max(count, afreshOfflinePerDay) + 1, afresh_from: from };
    return {
      upload: newest,
      unchanged: pictureTag(newest.picture_sha256, newest.file_version),
      kept: { ...kept, ...counted },
    };
  }
  const upload = await uploadLog(trx).offerAgain(newest, frame, { now, random });
  const payload: EventFacts = { stage: 'told again', ...named, fileVersion: upload.file_version };
  await recordFrameEvent(trx, random, { serial: frame.serial, type: 'picture', at: now, payload });
  return {
    upload: await announce(trx, call, upload),
    kept: { ...kept, afresh: count + 1, afresh_from: from, doubt: null, doubt_version: 0 },
  };
}

/** Announces an offer in a wake: the first call looks, and each later one counts as a download (W-13). */
async function announce(trx: Transaction, { row, isLook, now }: OfflineCall, upload: UploadRow): Promise<UploadRow> {
  const log = uploadLog(trx);
  const isAnnounced = row.upload_id === upload.id && row.file_version === upload.file_version;
  if (isLook || !isAnnounced || upload.announced_at === null) await log.announced(upload.id, now, false);
  if (!isLook) await trx('uploads').where({ id: upload.id, gets: 0 }).update({ gets: 1 });
  return (await log.find(upload.id)) ?? upload;
}

/** The tag among those that a frame names which is that of an offer to it by its present owner. */
export async function ownTag(db: Database, frame: FrameRow, held: string): Promise<string | undefined> {
  for (const text of held.split(',').slice(0, maxEarlier)) {
    const tag = readPictureTag(text);
    const upload = tag && (await uploadLog(db).ofVersion(frame.serial, tag.version));
    if (upload?.ownership === frame.ownership && upload.picture_sha256.startsWith(tag?.digestStart ?? '-')) {
      return pictureTag(upload.picture_sha256, upload.file_version);
    }
  }
  return undefined;
}

/** The pictures that a frame took before, the latest first, as offers that can be sent once more. */
export async function earlierOffers(db: Database, frame: FrameRow): Promise<UploadRow[]> {
  const rows = await db<UploadRow>('uploads')
    .where({ serial: frame.serial, panel: panelOfFrame(frame)?.name ?? null, showing_of: null })
    .whereRaw(ofOwner)
    .whereNotNull('fetched_at')
    .orderBy('fetched_at', 'desc')
    .limit(maxEarlier);
  return rows.map((upload) => ({ ...upload, replaced_at: null }));
}
