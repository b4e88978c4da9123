/** Weighs if a frame is proven to show an upload: a pure function of the recorded evidence (spec: Delivery rule 1). */
import { isConflictOpen } from '../../gateway/frames/identity-conflict.ts';
import type { Evidence } from '../../gateway/pictures/evidence.ts';

/** The conditions of `synced`, by the code that is reported while one does not hold. All of them must hold. */
export const proofs = {
  'not-in-step': 'the frame says its picture is in step',
  'not-shown': 'the frame reports this newer version',
  'order-unproven': 'announced, fetched and reported in that order',
  'contact-too-old': 'the frame was in contact after it fetched',
  'newer-not-offered': 'the newest upload of this frame carries this content',
  'not-fetched': 'every byte was fetched',
  'other-digest': 'the digest on the glass is this picture',
  'identity-doubted': 'no other frame claims this identity',
} as const;
export type Proof = keyof typeof proofs;

/** The levels to which a picture may be proven to have come, from the least to the most. */
export const evidenceLevels = ['offered', 'announced', 'fetched', 'reported shown', 'confirmed'] as const;
export type EvidenceLevel = (typeof evidenceLevels)[number];

/** Contact longer ago than the longest sleep and its grace is stale. */
const freshContactMs = 27 * 3_600_000;

/** Lists the proofs still missing before an upload of this revision counts as synced; empty when none is. */
export function missingProof(evidence: Evidence, revision: string, now: number): Proof[] {
  const { announcedAt, fetchedAt, lastContactAt } = evidence;
  // A report may come twice: with the update, and as the version of a later wake. Either counts after the fetch.
  const reportedAt = Math.max(evidence.shownAt ?? 0, evidence.confirmedAt ?? 0);
  const inOrder =
    announcedAt !== null &&
    fetchedAt !== null &&
    evidence.offeredAt <= announcedAt &&
    announcedAt <= fetchedAt &&
    fetchedAt <= reportedAt;
  const fresh =
    lastContactAt !== null && fetchedAt !== null && lastContactAt >= fetchedAt && now - lastContactAt <= freshContactMs;
  const judged: readonly (readonly [Proof, boolean])[] = [
    ['not-in-step', evidence.pictureSynced === true],
    ['not-shown', evidence.reportedVersion === evidence.fileVersion && evidence.fileVersion > evidence.previousVersion],
    ['order-unproven', inOrder],
    ['contact-too-old', fresh],
    ['newer-not-offered', !evidence.replaced && evidence.revision === revision],
    ['not-fetched', fetchedAt !== null],
    ['other-digest', evidence.digestMatches !== false],
    // T-47: of two frames with this identity, one may fetch a picture, and the other report that it shows it.
    ['identity-doubted', !isConflictOpen(evidence.conflictSince ?? null, now)],
  ];
  return judged.filter(([, holds]) => !holds).map(([proof]) => proof);
}

/** The level an upload has reached. */
export function evidenceLevel(evidence: Evidence): EvidenceLevel {
  if (evidence.confirmedAt !== null && evidence.fetchedAt !== null) return 'confirmed';
  // EV-05: a claim from before the download proves nothing.
  if (evidence.fetchedAt !== null && (evidence.shownAt ?? 0) >= evidence.fetchedAt) return 'reported shown';
  if (evidence.fetchedAt !== null) return 'fetched';
  return evidence.announcedAt === null ? 'offered' : 'announced';
}
