/** A picture offered to a frame, and the event that says so. */
import { recordEvent } from '../frames/event-log.ts';
import type { Database } from '../runtime/database.ts';
import type { Random } from '../runtime/random.ts';
import { uploadLog } from './upload-log.ts';

/** A picture to be offered: its file must have been stored before. */
export interface OfferedPicture {
  readonly serial: string;
  readonly revision: string;
  readonly sha256: string;
  readonly bytes: number;
}

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
