/** What is known of one upload, for whoever weighs it. */
import type { TraitsOf } from '../frames/dialect-traits.ts';
import { lastConflict } from '../frames/identity-conflict.ts';
import type { FrameRow } from '../frames/registry.ts';
import type { Database } from '../runtime/database.ts';
import { type UploadRow, uploadLog } from './upload-log.ts';

/** Facts about an upload and its frame. Times are epoch milliseconds; nothing here is a judgement. */
export interface Evidence {
  readonly uploadId: string;
  readonly revision: string;
  readonly fileVersion: number;
  /** The version the frame reported when this upload was offered. */
  readonly previousVersion: number;
  /** The version the frame reports now. */
  readonly reportedVersion: number;
  /** What the frame says of itself; null when it never said. */
  readonly pictureSynced: boolean | null;
  readonly offeredAt: number;
  readonly announcedAt: number | null;
  readonly fetchedAt: number | null;
  readonly shownAt: number | null;
  readonly confirmedAt: number | null;
  readonly failedAt: number | null;
  readonly reason: string | null;
  /** A later upload to the same frame exists. */
  readonly replaced: boolean;
  readonly lastContactAt: number | null;
  readonly expectedWakeAt: number | null;
  /** Whether the digest a frame reports is this picture's; undefined for frames that know no digests. */
  readonly digestMatches: boolean | undefined;
  /** Since when two claim the identity of a frame that cannot be told from its copy; undefined when none do. */
  readonly contestedSince: number | undefined;
}

/** Gathers the evidence of one upload, or undefined when there is no such upload. */
export async function evidenceOf(db: Database, traitsOf: TraitsOf, uploadId: string): Promise<Evidence | undefined> {
  const upload = await uploadLog(db).find(uploadId);
  if (upload === undefined) return undefined;
  const frame = (await db<FrameRow>('frames').where({ serial: upload.serial }).first()) as FrameRow;
  const { knowsDigests } = traitsOf(frame.dialect);
  // Of two that know digests the one with the lower boot counter is doubted, and the other goes on (T-47).
  const contested = knowsDigests ? undefined : await lastConflict(db, upload.serial);
  return gather(upload, frame, knowsDigests, contested);
}

/** The evidence of the last upload that a frame was offered, if any. */
export async function newestEvidence(db: Database, traitsOf: TraitsOf, serial: string): Promise<Evidence | undefined> {
  const newest = await uploadLog(db).newest(serial);
  return newest && evidenceOf(db, traitsOf, newest.id);
}

function gather(
  upload: UploadRow,
  frame: FrameRow,
  knowsDigests: boolean,
  contestedSince: number | undefined,
): Evidence {
  return {
    uploadId: upload.id,
    revision: upload.revision,
    fileVersion: upload.file_version,
    previousVersion: upload.previous_version,
    reportedVersion: frame.reported_version,
    pictureSynced: frame.picture_synced === null ? null : frame.picture_synced === 1,
    offeredAt: upload.offered_at,
    announcedAt: upload.announced_at,
    fetchedAt: upload.fetched_at,
    shownAt: upload.shown_at,
    confirmedAt: upload.confirmed_at,
    failedAt: upload.failed_at,
    reason: upload.reason,
    replaced: upload.replaced_at !== null,
    lastContactAt: frame.last_contact_at,
    expectedWakeAt: frame.asleep_until,
    digestMatches: knowsDigests ? frame.glass_sha256 === upload.picture_sha256 : undefined,
    contestedSince,
  };
}
