/** Says what is on a frame's glass and what is due there, from the newest offer and the last one that was shown. */
import type { ListedFrame } from '../../gateway/frames/fleet-facts.ts';
import type { Grade } from '../../gateway/frames/grades.ts';
import { isConflictOpen } from '../../gateway/frames/identity-conflict.ts';
import type { Evidence } from '../../gateway/pictures/evidence.ts';
import type { FleetPictures } from '../../gateway/pictures/fleet-pictures.ts';
import type { UploadRow } from '../../gateway/pictures/upload-row.ts';
import { type EvidenceLevel, evidenceLevel } from '../delivery-state/weigh-evidence.ts';

/** What speaks against a picture that a frame reported once. */
export const doubts = ['identity', 'before-restore', 'other-digest', 'older-version'] as const;

/** The picture on the glass. Times are epoch milliseconds. */
export interface GlassPicture {
  readonly uploadId: string;
  readonly fileVersion: number;
  readonly since: number;
  readonly level: EvidenceLevel;
  readonly grade: Grade;
  /** What speaks against it by now; null when nothing does. */
  readonly doubt: (typeof doubts)[number] | null;
}

/** How far a due picture is: it is being made, could not be made, or was offered and came so far. */
export const dueStates = ['making', 'not-made', 'offered', 'announced', 'fetched', 'failed'] as const;

/** A picture that is due. `uploadId` and `fileVersion` are null before it is offered. */
export interface DueOnGlass {
  readonly uploadId: string | null;
  readonly fileVersion: number | null;
  readonly state: (typeof dueStates)[number];
  readonly since: number | null;
}

type ShownPicture = Pick<FleetPictures, 'restoredAt'> & { readonly shown: UploadRow };

/** Describes the picture that a frame reported last; undefined evidence means that it never reported any. */
export function glassOf(
  frame: ListedFrame,
  { shown, restoredAt }: ShownPicture,
  evidence: Evidence,
  now: number,
): GlassPicture {
  const { id, file_version, shown_at, offered_at } = shown;
  // INV-91: nobody knows what the frame took between the backup and its restore, until it proves a picture again.
  const isBeforeRestore = restoredAt !== null && (shown_at ?? offered_at) <= restoredAt;
  return {
    uploadId: id,
    fileVersion: file_version,
    since: shown_at ?? offered_at,
    level: evidenceLevel(evidence),
    grade: evidence.grade,
    doubt: isBeforeRestore ? 'before-restore' : doubtOf(frame, evidence, now),
  };
}

function doubtOf(frame: ListedFrame, evidence: Evidence, now: number): GlassPicture['doubt'] {
  if (evidence.conflictSince !== undefined && isConflictOpen(evidence.conflictSince, now)) return 'identity';
  if (evidence.digestMatches === false) return 'other-digest';
  return frame.reported_version < evidence.fileVersion ? 'older-version' : null;
}

/** What the paper wants of a device. Times are epoch milliseconds. */
export interface Wanted {
  /** The revision that the paper is to show; null when it shows nothing. */
  readonly revision: string | null;
  readonly acceptedAt: number | null;
  /** True when this very revision and edition were offered, or found on the glass already. */
  readonly isTaken: boolean;
  readonly problem: { readonly at: number } | null;
}

/** Says which picture is due; null when what is on the glass is the newest. */
export function dueOnGlass(
  wanted: Wanted,
  newest: UploadRow | undefined,
  glassId: string | undefined,
): DueOnGlass | null {
  const unmade = { uploadId: null, fileVersion: null };
  if (wanted.revision !== null && !wanted.isTaken) {
    if (wanted.problem !== null) return { ...unmade, state: 'not-made', since: wanted.problem.at };
    if (newest?.revision !== wanted.revision || newest.id === glassId) {
      return { ...unmade, state: 'making', since: wanted.acceptedAt };
    }
  }
  if (newest === undefined || newest.id === glassId) return null;
  const { id: uploadId, file_version: fileVersion } = newest;
  if (newest.failed_at !== null) return { uploadId, fileVersion, state: 'failed', since: newest.failed_at };
  if (newest.fetched_at !== null) return { uploadId, fileVersion, state: 'fetched', since: newest.fetched_at };
  if (newest.announced_at !== null) return { uploadId, fileVersion, state: 'announced', since: newest.announced_at };
  return { uploadId, fileVersion, state: 'offered', since: newest.offered_at };
}
