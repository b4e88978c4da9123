/** Offers a picture to a frame, and records the event. */

import type { Database } from '../../runtime/database/database.ts';
import type { Moment } from '../../runtime/moment.ts';
import { type EventFacts, recordFrameEvent } from '../frames/event-log.ts';
import { uploadLog } from './upload-log.ts';
import { neutralRevision, type OfferedPicture, ofOwner, type UploadRow } from './upload-row.ts';

/**
 * Writes an offer into the upload log, inside the caller's transaction, so that the caller's checks still hold when the
 * offer exists (INV-30).
 * @returns the upload's id
 */
export async function offerPicture(
  trx: Database,
  picture: OfferedPicture,
  { now: at, random }: Moment,
): Promise<string> {
  return (await writeOffer(trx, picture, { now: at, random })).id;
}

/** Does what `offerPicture` does, and returns the whole row. */
export async function writeOffer(
  trx: Database,
  picture: OfferedPicture,
  { now: at, random }: Moment,
): Promise<UploadRow> {
  const { serial, revision } = picture;
  const upload = await uploadLog(trx).offer(picture, { now: at, random });
  const payload: EventFacts = { stage: 'offered', uploadId: upload.id, fileVersion: upload.file_version, revision };
  await recordFrameEvent(trx, random, { serial, type: 'picture', at, payload });
  return upload;
}

/** The picture that a frame was last offered under a revision, whatever it was offered since. */
export function lastOffered(
  db: Database,
  serial: string,
  revision: string,
): Promise<Pick<UploadRow, 'id' | 'picture_sha256'> | undefined> {
  return db<UploadRow>('uploads')
    .where({ serial, revision, showing_of: null })
    .whereRaw(ofOwner)
    .orderBy('offered_at', 'desc')
    .first('id', 'picture_sha256');
}

/** Notes that the pixels of an offer were made again of something newer. */
export const noteMadeOf = (db: Database, uploadId: string, madeOf: string | undefined): Promise<number> =>
  db<UploadRow>('uploads')
    .where({ id: uploadId })
    .update({ made_of: madeOf ?? null });

/** The offers of a frame from a moment on and before another, the oldest first (T-63: those of its present owner). */
export function offersBetween(
  db: Database,
  serial: string,
  { from, before }: { readonly from: number; readonly before: number },
): Promise<UploadRow[]> {
  return db<UploadRow>('uploads')
    .where({ serial, showing_of: null })
    .whereRaw(ofOwner)
    .where('offered_at', '>=', from)
    .where('offered_at', '<', before)
    .orderBy(['offered_at', 'id']);
}

/** True while the newest offer of a frame has this revision, and the frame has not taken it whole yet. */
export async function isAwaited(db: Database, serial: string, revision: string): Promise<boolean> {
  const newest = await uploadLog(db).newest(serial);
  return newest?.revision === revision && newest.fetched_at === null;
}

/** True when the newest offer of a frame is a picture of its owner's, not the neutral one. */
export async function wasOffered(db: Database, serial: string): Promise<boolean> {
  const newest = await uploadLog(db).newest(serial);
  return newest !== undefined && newest.revision !== neutralRevision;
}
