/** Reads the file of an offer, and has a file made again that is missing or damaged on the disk. */
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { Database } from '../../runtime/database/database.ts';
import type { DurableFolder } from '../../runtime/disk/durable-folder.ts';
import type { Moment } from '../../runtime/moment.ts';
import { frameRegistry } from '../frames/registry.ts';
import { neutralFile } from './neutral-picture.ts';
import { uploadLog } from './upload-log.ts';
import { type MadePicture, neutralRevision, ofOwner, type UploadRow } from './upload-row.ts';

export interface ReadDeps extends Pick<CommonDeps, 'db' | 'clock' | 'logger'> {
  readonly pictures: Pick<DurableFolder, 'get'>;
  /** Called when a picture has to be made again. */
  readonly lost: () => void;
}

/**
 * Reads the file as it was stored.
 * @returns undefined when the file is missing or damaged; the offer is then marked, so that its picture is made again (T-67)
 */
export async function readPicture(deps: ReadDeps, upload: UploadRow): Promise<Buffer | undefined> {
  const { id, serial: frame, picture_sha256: picture, file_version } = upload;
  const file = upload.revision === neutralRevision ? await neutralFile(upload) : await deps.pictures.get(picture);
  if (file !== undefined || upload.replaced_at !== null) return file;
  const noted = await deps
    .db('uploads')
    .where({ id, file_version, replaced_at: null, remake_at: null })
    .update({ remake_at: deps.clock.now() });
  if (noted === 0) return undefined;
  deps.logger.error({ frame, upload: id, picture }, 'a picture is missing or damaged on the disk; it is made again');
  deps.lost();
  return undefined;
}

/**
 * Marks the offers of pictures that were found missing or damaged, so that they are made again (T-67).
 * @param pictures their digests
 * @returns the number of offers
 */
export async function markLost(db: Database, pictures: readonly string[], now: number): Promise<number> {
  if (pictures.length === 0) return 0;
  const offers = db('uploads').whereIn('picture_sha256', pictures).whereNot('revision', neutralRevision);
  return offers.where({ replaced_at: null, remake_at: null }).update({ remake_at: now });
}

/** An offer whose picture is to be made again. */
export interface LostPicture {
  readonly uploadId: string;
  readonly serial: string;
  /** The offerer's own name of the content. */
  readonly revision: string;
}

/** Lists the offers that are due to be made again, among those that are still announced to frames. */
export async function lostPictures(db: Database, now: number): Promise<LostPicture[]> {
  return db('uploads')
    .where('remake_at', '<=', now)
    .whereNull('replaced_at')
    .whereRaw(ofOwner)
    .orderBy('remake_at')
    .select({ uploadId: 'id', serial: 'serial', revision: 'revision' });
}

/** Postpones the next attempt to make a picture again. */
export async function remakeLater(db: Database, uploadId: string, at: number): Promise<void> {
  await db('uploads').where({ id: uploadId }).whereNotNull('remake_at').update({ remake_at: at });
}

/**
 * Puts the picture that was made again into its offer, in the caller's transaction. It gets a new version, because the
 * frame may have stored the old version without any picture (W-11). An offer that the frame had taken before is kept.
 * @returns true when the offer has to be announced
 * @throws Refusal `versions-used-up`
 */
export async function remakeOffer(
  trx: Database,
  { uploadId, serial }: LostPicture,
  picture: MadePicture,
  moment: Moment,
): Promise<boolean> {
  const frame = await frameRegistry(trx).known(serial);
  const upload = await uploadLog(trx).find(uploadId);
  if (upload === undefined || upload.remake_at === null || upload.replaced_at !== null) return false;
  if (upload.fetched_at !== null && upload.picture_sha256 === picture.sha256) {
    await trx('uploads').where({ id: uploadId }).update({ remake_at: null });
    return false;
  }
  const { sha256: picture_sha256, bytes: picture_bytes, format, panel, madeOf = null } = picture;
  const remade = { picture_sha256, picture_bytes, format, panel, made_of: madeOf, remake_at: null };
  await uploadLog(trx).offerAgain(upload, frame, moment, remade);
  return true;
}
