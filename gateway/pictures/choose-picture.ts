/** Which picture a frame that just woke is to be told about, and what its report proves of the one before. */
import { type FrameRow, frameRegistry } from '../frames/registry.ts';
import type { Database } from '../runtime/database.ts';
import type { Random } from '../runtime/random.ts';
import { type UploadRow, uploadLog } from './upload-log.ts';

/**
 * Weighs a wake report against the newest offer. What the frame holds already is confirmed; what it marked as stored
 * without having taken it (W-12), or with other bytes, is offered under a new version; anything newer is announced.
 * @param reported version and, for native frames, digest of what the frame says is on its glass
 * @returns the upload to announce, or undefined when the frame is up to date
 */
export async function choosePicture(
  db: Database,
  frame: FrameRow,
  reported: { fileVersion: number; sha256: string | undefined; knowsDigests: boolean },
  now: number,
  random: Random,
): Promise<UploadRow | undefined> {
  const log = uploadLog(db);
  const upload = await log.newest(frame.serial);
  if (upload === undefined) return undefined;
  // W-13: a frame that knows no digests proves a picture within one cycle; an earlier one's download vouches for nothing.
  const anew = !reported.knowsDigests;
  if (reported.fileVersion < upload.file_version) {
    await log.announced(upload.id, now, anew);
    return upload;
  }
  const sameVersion = reported.fileVersion === upload.file_version;
  const sameBytes = !reported.knowsDigests || reported.sha256 === upload.picture_sha256;
  if (sameVersion && sameBytes && upload.fetched_at !== null) {
    if (upload.confirmed_at === null) await log.confirmed(upload.id, upload.file_version, now);
    // W-15: its report may have been lost; fetched and echoed is as good. Native frames say it of themselves.
    if (anew) await frameRegistry(db).change(frame.serial, { picture_synced: 1 }, now);
    return undefined;
  }
  const again = await log.offerAgain(upload, { ...frame, reported_version: reported.fileVersion }, now, random);
  await log.announced(again.id, now, anew);
  return again;
}
