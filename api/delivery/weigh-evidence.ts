/** Whether a frame is proven to show an upload: one pure function of what was recorded (spec: Delivery rule 1). */
import { isContested } from '../../gateway/frames/identity-conflict.ts';
import type { Evidence } from '../../gateway/pictures/evidence.ts';

/** A condition of `synced`. All of them must hold. */
export type Proof =
  | 'the frame says its picture is in step'
  | 'the frame reports this newer version'
  | 'announced, fetched and reported in that order'
  | 'the frame was in contact after it fetched'
  | 'the newest upload of this frame carries this content'
  | 'every byte was fetched'
  | 'the digest on the glass is this picture'
  | 'no other frame claims this identity';

/** How far a picture is proven to have come, from the least to the most. */
export type EvidenceLevel = 'offered' | 'announced' | 'fetched' | 'reported shown' | 'confirmed';

/** Contact longer ago than the longest sleep and its grace is stale. */
const freshContactMs = 27 * 3_600_000;

/** What is still missing before an upload of this revision counts as synced; empty when nothing is. */
export function missingProof(evidence: Evidence, revision: string, now: number): Proof[] {
  const { announcedAt, fetchedAt, lastContactAt } = evidence;
  // A report may come twice: with the update, and as the version a later wake begins with. Either one after the fetch.
  const reportedAt = Math.max(evidence.shownAt ?? 0, evidence.confirmedAt ?? 0);
  const inOrder =
    announcedAt !== null &&
    fetchedAt !== null &&
    evidence.offeredAt <= announcedAt &&
    announcedAt <= fetchedAt &&
    fetchedAt <= reportedAt;
  const fresh =
    lastContactAt !== null && fetchedAt !== null && lastContactAt >= fetchedAt && now - lastContactAt <= freshContactMs;
  const proofs: readonly (readonly [Proof, boolean])[] = [
    ['the frame says its picture is in step', evidence.pictureSynced === true],
    [
      'the frame reports this newer version',
      evidence.reportedVersion === evidence.fileVersion && evidence.fileVersion > evidence.previousVersion,
    ],
    ['announced, fetched and reported in that order', inOrder],
    ['the frame was in contact after it fetched', fresh],
    ['the newest upload of this frame carries this content', !evidence.replaced && evidence.revision === revision],
    ['every byte was fetched', fetchedAt !== null],
    ['the digest on the glass is this picture', evidence.digestMatches !== false],
    // T-47: one may fetch what the other says it shows.
    ['no other frame claims this identity', !isContested(evidence.contestedSince ?? null, now)],
  ];
  return proofs.filter(([, holds]) => !holds).map(([proof]) => proof);
}

/** The level an upload has reached. */
export function evidenceLevel(evidence: Evidence): EvidenceLevel {
  if (evidence.confirmedAt !== null && evidence.fetchedAt !== null) return 'confirmed';
  if (evidence.shownAt !== null && evidence.fetchedAt !== null) return 'reported shown';
  if (evidence.fetchedAt !== null) return 'fetched';
  return evidence.announcedAt === null ? 'offered' : 'announced';
}
