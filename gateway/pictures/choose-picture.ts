/** Which picture a frame that just woke is to be told about, and what its report proves of the one before. */
import { nextFileVersion } from '../../firmware-protocol/versions.ts';
import { recordEvent } from '../frames/event-log.ts';
import { recordFailure } from '../frames/record-report.ts';
import { type FrameRow, frameRegistry } from '../frames/registry.ts';
import type { Database } from '../runtime/database.ts';
import type { Random } from '../runtime/random.ts';
import { Refusal } from '../runtime/refusals.ts';
import { type UploadRow, uploadLog } from './upload-log.ts';

/** What a frame says is on its glass. */
interface Reported {
  readonly fileVersion: number;
  readonly sha256: string | undefined;
  readonly knowsDigests: boolean;
}

/**
 * Weighs a wake report against the newest offer. What the frame holds already is confirmed; what it marked as stored
 * without having taken it (W-12), or with other bytes, is offered under a new version; anything newer is announced.
 * @param reported version and, for native frames, digest of what the frame says is on its glass
 * @returns the upload to announce, or undefined when the frame is up to date or has no version left to announce
 */
export async function choosePicture(
  db: Database,
  frame: FrameRow,
  reported: Reported,
  now: number,
  random: Random,
): Promise<UploadRow | undefined> {
  const log = uploadLog(db);
  const upload = await log.newest(frame.serial);
  if (upload === undefined) return undefined;
  if (reported.fileVersion < upload.file_version) {
    return announced(db, frame, upload, reported, now, random);
  }
  const sameVersion = reported.fileVersion === upload.file_version;
  const sameBytes = !reported.knowsDigests || reported.sha256 === upload.picture_sha256;
  if (sameVersion && sameBytes && upload.fetched_at !== null) {
    if (upload.confirmed_at === null) await log.confirmed(upload.id, upload.file_version, now);
    // W-15: its report may have been lost; fetched and echoed is as good. Native frames say it of themselves.
    if (!reported.knowsDigests) await frameRegistry(db).change(frame.serial, { picture_synced: 1 }, now);
    return undefined;
  }
  if (nextFileVersion(reported.fileVersion, frame.announced_version, now) === undefined) {
    return noVersionLeft(db, frame, upload, now, random);
  }
  const again = await log.offerAgain(upload, { ...frame, reported_version: reported.fileVersion }, now, random);
  return announced(db, frame, again, reported, now, random);
}

/** The wake goes on without a picture (W-37). Said once an upload: such a frame says the same at every wake. */
async function noVersionLeft(
  db: Database,
  frame: FrameRow,
  upload: UploadRow,
  now: number,
  random: Random,
): Promise<undefined> {
  const { message: problem, hint: remedy } = new Refusal('versions-used-up');
  if ((await uploadLog(db).stuck(upload.id, now, problem)) === 0) return;
  await recordFailure(db, frame, { uploadId: upload.id, reason: problem }, now, random);
  await recordEvent(db, random, { serial: frame.serial, type: 'alert', at: now, payload: { problem, remedy } });
}

/**
 * Writes down that a frame is told. Bytes that it took last and shows still need not be fetched again: that download
 * then vouches for this upload too. Whatever was taken in between could be on the glass instead, so it must be the last.
 */
async function announced(
  db: Database,
  frame: FrameRow,
  upload: UploadRow,
  { sha256, knowsDigests }: Reported,
  now: number,
  random: Random,
): Promise<UploadRow> {
  const log = uploadLog(db);
  // W-13: a frame that knows no digests proves a picture within one cycle; an earlier one's download vouches for nothing.
  await log.announced(upload.id, now, !knowsDigests);
  const told = { ...upload, vouched_by: null };
  const showsIt = knowsDigests && frame.picture_synced === 1 && sha256 === upload.picture_sha256;
  const last = showsIt ? await log.lastFetchedBefore(upload) : undefined;
  if (last === undefined || last.picture_sha256 !== upload.picture_sha256) return told;
  if ((await log.vouched(upload, last.id, now)) === 0) return told;
  const { id: uploadId, serial, file_version: fileVersion } = upload;
  const payload = { stage: 'unchanged', uploadId, fileVersion, fetchedAs: last.id, fetchedAt: last.fetched_at };
  await recordEvent(db, random, { serial, type: 'picture', at: now, payload });
  return { ...told, vouched_by: last.id };
}
