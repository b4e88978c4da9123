/**
 * Determines what is on a frame's glass and what is due there, from the newest offer and the last one that was shown.
 */
import type { TraitsOf } from '../../gateway/frames/dialect-traits.ts';
import type { ListedFrame } from '../../gateway/frames/fleet-facts.ts';
import type { Grade } from '../../gateway/frames/grades.ts';
import { isConflictOpen } from '../../gateway/frames/identity-conflict.ts';
import { type Evidence, gather } from '../../gateway/pictures/evidence.ts';
import type { FleetPictures } from '../../gateway/pictures/fleet-pictures.ts';
import type { UploadRow } from '../../gateway/pictures/upload-row.ts';
import type { SelectedPaper } from '../delivery-state/papers-of-devices.ts';
import { type EvidenceLevel, evidenceLevel } from '../delivery-state/weigh-evidence.ts';
import { readRevision } from '../devices/shown-item.ts';
import { hasNothingYet } from './why-code.ts';

/** The evidence against a picture that a frame reported once. */
export const doubts = ['identity', 'before-restore', 'other-digest', 'older-version'] as const;

/** The picture on the glass. Times are epoch milliseconds. */
export interface GlassPicture {
  readonly uploadId: string;
  readonly fileVersion: number;
  readonly since: number;
  readonly level: EvidenceLevel;
  readonly grade: Grade;
  /** The evidence against it by now; null when there is none. */
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

/** The evidence of a frame's newest offer, and the picture on its glass; both may be missing. */
export interface OnFrame {
  readonly newest: Evidence | undefined;
  readonly glass: GlassPicture | null;
}

/** Weighs the pictures of a frame of a list. */
export function onFrame(
  frame: ListedFrame | undefined,
  pictures: FleetPictures | undefined,
  traitsOf: TraitsOf,
  now: number,
): OnFrame {
  if (frame === undefined || pictures === undefined) return { newest: undefined, glass: null };
  const { knowsDigests } = traitsOf(frame.dialect);
  const conflictSince = knowsDigests ? undefined : (frame.conflict_since ?? undefined);
  const evidenceOf = (upload: UploadRow | undefined) => upload && gather(upload, frame, knowsDigests, conflictSince);
  const shown = evidenceOf(pictures.shown);
  return { newest: evidenceOf(pictures.newest), glass: shown ? glassOf(shown, pictures.restoredAt, now) : null };
}

/** Describes the picture that a frame reported last. */
function glassOf(shown: Evidence, restoredAt: number | null, now: number): GlassPicture {
  const { uploadId, fileVersion, grade } = shown;
  const since = shown.shownAt ?? shown.offeredAt;
  // INV-91: nobody knows what the frame took between the backup and its restore, until it proves a picture again.
  const isBeforeRestore = restoredAt !== null && since <= restoredAt;
  const doubt = isBeforeRestore ? 'before-restore' : doubtOf(shown, now);
  return { uploadId, fileVersion, since, level: evidenceLevel(shown), grade, doubt };
}

function doubtOf(shown: Evidence, now: number): GlassPicture['doubt'] {
  if (isConflictOpen(shown.conflictSince ?? null, now)) return 'identity';
  if (shown.digestMatches === false) return 'other-digest';
  return shown.reportedVersion < shown.fileVersion ? 'older-version' : null;
}

/** Returns which picture of its paper is due on a frame; null when what is on the glass is the newest. */
export function dueOnGlass(paper: SelectedPaper | undefined, { newest, glass }: OnFrame): DueOnGlass | null {
  const isShown = newest === undefined || newest.uploadId === glass?.uploadId;
  // Nothing is due of a paper that is not set up yet.
  if (paper !== undefined && paper.revision !== null && paper.taken === 0 && !hasNothingYet(paper)) {
    const unmade = { uploadId: null, fileVersion: null };
    if (paper.problem !== null) return { ...unmade, state: 'not-made', since: paper.tried_at ?? 0 };
    if (isShown || newest.revision !== paper.revision) return { ...unmade, state: 'making', since: acceptedAt(paper) };
  }
  if (isShown) return null;
  const { uploadId, fileVersion } = newest;
  if (newest.failedAt !== null) return { uploadId, fileVersion, state: 'failed', since: newest.failedAt };
  if (newest.fetchedAt !== null) return { uploadId, fileVersion, state: 'fetched', since: newest.fetchedAt };
  if (newest.announcedAt !== null) return { uploadId, fileVersion, state: 'announced', since: newest.announcedAt };
  return { uploadId, fileVersion, state: 'offered', since: newest.offeredAt };
}

/** The time at which the newest content was accepted; for a paper that draws itself nothing was: its picture was made. */
export function acceptedAt(paper: SelectedPaper | undefined): number | null {
  const shown = paper === undefined || paper.revision === null ? undefined : readRevision(paper.revision);
  if (shown?.kind === 'content') return paper?.received_at ?? null;
  return shown?.kind === 'picture' ? (paper?.image_updated_at ?? null) : null;
}
