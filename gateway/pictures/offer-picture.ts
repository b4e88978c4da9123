/** A picture offered to a frame, and the event that says so. */
import { recordEvent } from '../frames/event-log.ts';
import type { Database } from '../runtime/database.ts';
import type { Random } from '../runtime/random.ts';
import { type OfferedPicture, uploadLog } from './upload-log.ts';

/**
 * Writes an offer into the upload log, inside the caller's transaction, so that what was checked for it still holds when
 * it exists (INV-30).
 * @returns the upload's id
 */
export async function offerPicture(
  trx: Database,
  picture: OfferedPicture,
  at: number,
  random: Random,
): Promise<string> {
  const { serial, revision } = picture;
  const { id: uploadId, file_version: fileVersion } = await uploadLog(trx).offer(picture, at, random);
  const payload = { stage: 'offered', uploadId, fileVersion, revision };
  await recordEvent(trx, random, { serial, type: 'picture', at, payload });
  return uploadId;
}

/** Digest of the picture that a frame was last offered under a revision, whatever it was offered since. */
export async function lastOffered(db: Database, serial: string, revision: string): Promise<string | undefined> {
  const last: { picture_sha256: string } | undefined = await db('uploads')
    .where({ serial, revision })
    .orderBy('offered_at', 'desc')
    .first('picture_sha256');
  return last?.picture_sha256;
}

/** Whether a frame was ever offered a picture, as far as is known. */
export async function wasOffered(db: Database, serial: string): Promise<boolean> {
  return (await uploadLog(db).newest(serial)) !== undefined;
}
