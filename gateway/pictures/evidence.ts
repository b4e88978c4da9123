/** The facts about one upload that the delivery line weighs. */

import { type Reasons, readReasons } from '../../reasons/reason.ts';
import { camelOf } from '../../runtime/database/camel-case.ts';
import type { Database } from '../../runtime/database/database.ts';
import { firstRow } from '../../runtime/database/plain-sql.ts';
import type { TraitsOf } from '../frames/dialect-traits.ts';
import type { Grade } from '../frames/grades.ts';
import { lastConflict } from '../frames/identity-conflict.ts';
import type { FrameRow } from '../frames/registry.ts';
import { uploadLog } from './upload-log.ts';
import { gradeOf, type UploadRow } from './upload-row.ts';

/** Facts about an upload and its frame. Times are epoch milliseconds; nothing here is a judgement. */
export interface Evidence {
  readonly uploadId: string;
  readonly revision: string;
  readonly fileVersion: number;
  /** The version the frame reported when this upload was offered. */
  readonly previousVersion: number;
  /** The version the frame reports now. */
  readonly reportedVersion: number;
  /** The frame's own report that its picture is in sync; null when it never reported it. */
  readonly pictureSynced: boolean | null;
  readonly offeredAt: number;
  readonly announcedAt: number | null;
  readonly fetchedAt: number | null;
  readonly shownAt: number | null;
  readonly confirmedAt: number | null;
  /** The grade of the frame's report together with the download that was seen. */
  readonly grade: Grade;
  readonly failedAt: number | null;
  readonly reasons: Reasons;
  /** True when a later upload to the same frame exists. */
  readonly replaced: boolean;
  readonly lastContactAt: number | null;
  readonly expectedWakeAt: number | null;
  /** True when the digest that the frame reports is this picture's; undefined for frames that know no digests. */
  readonly digestMatches: boolean | undefined;
  /** Time since which two frames claim this identity and cannot be told apart; undefined when there is no conflict. */
  readonly conflictSince: number | undefined;
}

/** Gathers the evidence of one upload, or undefined when there is no such upload. */
export async function evidenceOf(db: Database, traitsOf: TraitsOf, uploadId: string): Promise<Evidence | undefined> {
  const upload = await uploadLog(db).find(uploadId);
  if (upload === undefined) return undefined;
  const now = (await firstRow(db, 'select * from frames where serial = ?', [upload.serial])) as FrameRow;
  const frame = now.ownership === upload.ownership ? now : afterItsTime(now, upload);
  const { knowsDigests } = traitsOf(frame.dialect);
  // T-47: between two frames that know digests, the one with the lower boot counter is suspect and the other goes on.
  const conflictSince = knowsDigests ? undefined : await lastConflict(db, upload.serial);
  return gather(upload, frame, knowsDigests, conflictSince);
}

/** Gathers the evidence of the last upload that was offered to a frame, if any. */
export async function newestEvidence(db: Database, traitsOf: TraitsOf, serial: string): Promise<Evidence | undefined> {
  const newest = await uploadLog(db).newest(serial);
  return newest && evidenceOf(db, traitsOf, newest.id);
}

/**
 * The frame as its former owner may see it (T-63): its present reports are not evidence about an offer of that time, and
 * the times of its wakes are not shown to a former owner.
 */
function afterItsTime(frame: FrameRow, { previous_version }: UploadRow): FrameRow {
  const nothing = { picture_synced: null, glass_sha256: null, last_contact_at: null, asleep_until: null };
  return { ...frame, reported_version: previous_version, ...nothing };
}

/** The columns of a frame that are evidence of what it shows. */
type Testimony = Pick<
  FrameRow,
  'reported_version' | 'picture_synced' | 'last_contact_at' | 'asleep_until' | 'glass_sha256'
>;

/**
 * Puts the evidence of an upload together from rows that were read already.
 * @param conflictSince time of a conflict of identities, undefined without one
 */
export function gather(
  upload: UploadRow,
  frame: Testimony,
  knowsDigests: boolean,
  conflictSince: number | undefined,
): Evidence {
  return {
    uploadId: upload.id,
    ...camelOf(upload, 'revision', 'file_version', 'previous_version'),
    reportedVersion: frame.reported_version,
    pictureSynced: frame.picture_synced === null ? null : frame.picture_synced === 1,
    ...camelOf(upload, 'offered_at', 'announced_at', 'fetched_at', 'shown_at', 'confirmed_at'),
    grade: gradeOf(upload),
    failedAt: upload.failed_at,
    reasons: readReasons(upload.reason),
    replaced: upload.replaced_at !== null,
    lastContactAt: frame.last_contact_at,
    expectedWakeAt: frame.asleep_until,
    digestMatches: knowsDigests ? frame.glass_sha256 === upload.picture_sha256 : undefined,
    conflictSince,
  };
}

/** SQL: the upload with the id in a column was taken whole by its frame. Nothing proves one that was not. */
export const isTakenSql = (column: string): string =>
  `exists (select 1 from uploads where uploads.id = ${column} and uploads.fetched_at is not null)`;
