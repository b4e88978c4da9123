/** Chooses the picture to announce to a frame that just woke, and records what its report proves about the one before. */

import { nextFileVersion } from '../../firmware-protocol/versions.ts';
import { reasonOf } from '../../reasons/reason.ts';
import type { Database } from '../../runtime/database/database.ts';
import type { Moment } from '../../runtime/moment.ts';
import { type EventFacts, recordFrameEvent } from '../frames/event-log.ts';
import type { ReportGrade } from '../frames/grades.ts';
import { whyNotDrawn } from '../frames/named-panel.ts';
import { recordFailure } from '../frames/record-report.ts';
import { type FrameRow, frameRegistry } from '../frames/registry.ts';
import { keepShowing } from './keep-showing.ts';
import { offerNeutral } from './neutral-picture.ts';
import { uploadLog } from './upload-log.ts';
import type { UploadRow } from './upload-row.ts';

/** The part of a wake report that states what is on the glass. */
interface Reported {
  readonly fileVersion: number;
  readonly sha256: string | undefined;
  readonly knowsDigests: boolean;
  /** The weight of such a report in the frame's dialect. */
  readonly proves: ReportGrade;
}

/** A report, and whether the frame has reported since that the picture on its glass is in sync. */
type Glass = Reported & { readonly isSynced: boolean };

/**
 * Compares a wake report with the newest offer. A picture that the frame already has is confirmed. A picture that it
 * marked as stored without having taken it (W-12), or with other bytes, is offered under a new version. A newer picture
 * is announced. A frame that has a new owner and was offered nothing yet gets the neutral picture, in place of the former
 * owner's picture that it may show (T-63).
 * @param reported version and, for native frames, digest of the picture that the frame reports on its glass
 * @returns the upload to announce, or undefined when the frame is up to date or has no version left to announce
 */
export async function choosePicture(
  db: Database,
  frame: FrameRow,
  reported: Reported,
  moment: Moment,
): Promise<UploadRow | undefined> {
  const { now, random } = moment;
  const glass = { ...reported, isSynced: frame.picture_synced === 1 };
  const log = uploadLog(db);
  const newest = await log.newest(frame.serial);
  const upload = newest ?? (await offerNeutral(db, frame, reported.fileVersion, moment));
  // the frame has since named another panel or was given another kind; a picture for that panel is being made.
  if (upload === undefined || whyNotDrawn(frame, upload.panel) !== undefined) return undefined;
  if (reported.fileVersion < upload.file_version) {
    return upload.remake_at === null ? announced(db, upload, glass, moment) : undefined;
  }
  const sameVersion = reported.fileVersion === upload.file_version;
  const sameBytes = !reported.knowsDigests || reported.sha256 === upload.picture_sha256;
  if (sameVersion && sameBytes && upload.fetched_at !== null) {
    if (upload.confirmed_at === null) await log.confirmed(upload.id, upload.file_version, now, reported.proves);
    // W-15: the frame's own report may have been lost; a picture fetched and its version echoed is as good. Native frames
    // report `synced` themselves.
    if (!reported.knowsDigests) await frameRegistry(db).change(frame.serial, { picture_synced: 1 }, now);
    return undefined;
  }
  // T-67: the file is lost; the offer is announced once the picture has been made again.
  if (upload.remake_at !== null) return undefined;
  if (nextFileVersion(reported.fileVersion, frame.announced_version, now) === undefined) {
    return noVersionLeft(db, frame, upload, moment);
  }
  const again = await log.offerAgain(upload, { ...frame, reported_version: reported.fileVersion }, moment);
  const because = whyAgain(sameVersion, sameBytes);
  const payload: EventFacts = { stage: 'told again', uploadId: again.id, fileVersion: again.file_version, because };
  await recordFrameEvent(db, random, { serial: frame.serial, type: 'picture', at: now, payload });
  return announced(db, again, glass, moment);
}

/** Returns why a picture is offered under a new version to a frame that reports this one, or a newer one. */
function whyAgain(sameVersion: boolean, sameBytes: boolean): string {
  if (!sameVersion) return 'the frame names a newer version';
  return sameBytes ? 'stored without having been taken whole' : 'other bytes on the glass';
}

/**
 * Records that no version is left, and lets the wake go on without a picture (W-37). It is recorded once an upload,
 * because such a frame reports the same version at every wake.
 */
async function noVersionLeft(
  db: Database,
  frame: FrameRow,
  upload: UploadRow,
  { now, random }: Moment,
): Promise<undefined> {
  const [problem, remedy] = [reasonOf('versions-used-up'), reasonOf('remedy-versions-used-up')];
  if ((await uploadLog(db).stuck(upload.id, now, problem)) === 0) return;
  await recordFailure(db, frame, { uploadId: upload.id, reason: problem }, { now, random });
  await recordFrameEvent(db, random, { serial: frame.serial, type: 'alert', at: now, payload: { problem, remedy } });
}

/**
 * Records the announcement of an upload. Bytes that the frame took last and still shows need not be fetched again: that
 * download then attests this upload too. It must be the last one, because a picture taken in between could be on the
 * glass instead.
 */
async function announced(
  db: Database,
  upload: UploadRow,
  { sha256, knowsDigests, isSynced }: Glass,
  { now, random }: Moment,
): Promise<UploadRow> {
  const log = uploadLog(db);
  // W-13: a frame that knows no digests proves a picture within one cycle; the download of an earlier cycle attests nothing.
  if (!knowsDigests) await keepShowing(db, upload, { now, random });
  await log.announced(upload.id, now, !knowsDigests);
  const unattested = { ...upload, vouched_by: null };
  const showsIt = knowsDigests && isSynced && sha256 === upload.picture_sha256;
  const last = showsIt ? await log.lastFetchedBefore(upload) : undefined;
  if (last === undefined || last.picture_sha256 !== upload.picture_sha256) return unattested;
  if ((await log.attested(upload, last.id, now)) === 0) return unattested;
  const { id: uploadId, serial, file_version: fileVersion } = upload;
  const payload: EventFacts = {
    stage: 'unchanged',
    uploadId,
    fileVersion,
    fetchedAs: last.id,
    fetchedAt: last.fetched_at,
  };
  await recordFrameEvent(db, random, { serial, type: 'picture', at: now, payload });
  return { ...unattested, vouched_by: last.id };
}
