/** Names the one thing that keeps a device's newest picture from being proven on its glass, for programs to word. */
import { isConflictOpen } from '../../gateway/frames/identity-conflict.ts';
import type { Evidence } from '../../gateway/pictures/evidence.ts';
import { type Reasons, readReasons } from '../../reasons/reason.ts';
import type { SelectedPaper } from '../delivery-state/papers-of-devices.ts';
import { missingProof, proofs } from '../delivery-state/weigh-evidence.ts';
import { readRevision } from '../devices/shown-item.ts';
import { whyNotRendered } from '../papers/kinds.ts';
import { beginOfPlaylist, isNothingYet, whatToSetUp } from '../papers/not-set-up.ts';

/** Every code, each with its meaning for a person. */
export const whyMeanings = {
  'no-frame': 'no frame is bound to the device',
  'no-paper': 'no paper is selected for it',
  'kind-not-drawn': 'papers of this kind are not rendered',
  'no-content': 'its paper has no content',
  'not-set-up':
    'its paper, or chosenPaper of its slides or playlist, is not set up yet, which is not a failure; reason says what to do, paperKind of which kind that paper is',
  'begins-later':
    'its playlist has not begun, which is not a failure: the frame keeps its picture; expectedAt says until when',
  'waits-for-time': 'its paper has no content yet, and a picture waits; expectedAt says until when',
  'identity-doubted': 'two frames claim this identity, so that no report proves anything',
  'not-made': 'the picture could not be made; reason says why',
  'frame-failed': 'the frame says that the update went wrong; reason has its words',
  'nothing-offered': 'nothing was offered to the frame yet',
  'own-image': "the frame shows an image of the device's own instead of its paper",
  'newer-not-offered': 'newer content was not offered to the frame yet',
  'not-announced': 'the frame was not notified yet, because it sleeps; expectedAt says until when',
  'not-fetched': 'the frame was notified, and has not fetched every byte',
  'not-shown': 'the frame fetched the picture, and has not reported that it shows it',
  'other-digest': 'the frame reports the digest of another picture',
  'not-in-step': 'the frame does not say that its picture is in step',
  'order-unproven': 'what was recorded is not in the order that proves the picture',
  'contact-too-old': 'the last contact with the frame is too long ago to prove what it shows',
} as const;
export type WhyCode = keyof typeof whyMeanings;

/** The code, and what its sentence needs besides. Times are epoch milliseconds. */
export interface Why {
  readonly code: WhyCode;
  /** The reasons that were recorded. */
  readonly reasons?: Reasons | undefined;
  /** The time at which the frame, a picture or the playlist is expected, where one is waited for. */
  readonly expectedAt?: number | undefined;
  /** The kind of a paper that is not rendered, or not set up. */
  readonly paperKind?: string | undefined;
  /** The paper that slides or a playlist chose, when it is the one that is not set up. */
  readonly chosenPaper?: string | undefined;
}

/** The facts about a device's picture. */
export interface KnownPicture {
  readonly serial: string | null;
  /** The paper that is selected, if there is one; its revision is null when it has nothing to show. */
  readonly paper: SelectedPaper | undefined;
  /** The evidence of the newest offer, if there is one. */
  readonly newest: Evidence | undefined;
}

/** The codes in the order in which a picture gets what they miss: the first of them is the reason for the others. */
const order: readonly WhyCode[] = [
  'no-frame',
  'no-paper',
  'kind-not-drawn',
  'no-content',
  'identity-doubted',
  'not-set-up',
  'begins-later',
  'nothing-offered',
  'newer-not-offered',
  'not-fetched',
  'not-shown',
  'other-digest',
  'not-in-step',
  'order-unproven',
  'contact-too-old',
];
const firstOf = (missing: readonly WhyCode[]): WhyCode | undefined => order.find((code) => missing.includes(code));

/** Lists everything that is missing until the newest picture is proven on the glass; empty when nothing is. */
export function missingOf({ serial, ...known }: KnownPicture, now: number): readonly WhyCode[] {
  const missing = missingPicture(known, now);
  return serial === null ? ['no-frame', ...missing] : missing;
}

function missingPicture({ paper, newest }: Omit<KnownPicture, 'serial'>, now: number): readonly WhyCode[] {
  if (paper === undefined) return isOwnImage(newest) ? missingProof(newest, newest.revision, now) : ['no-paper'];
  if (paper.revision === null) return [whyNotRendered(paper.kind) === undefined ? 'no-content' : 'kind-not-drawn'];
  const problem = readReasons(paper.problem);
  if (whatToSetUp(problem) !== undefined) return ['not-set-up'];
  if (beginOfPlaylist(problem) !== undefined) return ['begins-later'];
  return newest === undefined ? ['nothing-offered'] : missingProof(newest, paper.revision, now);
}

/** Asks if a paper has no picture only because there is nothing to show yet, which is not a failure. */
export const hasNothingYet = ({ problem }: SelectedPaper): boolean => isNothingYet(readReasons(problem));

/** Chooses the code; null when the newest picture is proven on the glass. */
export function whyNot(known: KnownPicture, now: number): Why | null {
  const { serial, paper, newest } = known;
  const code = firstOf(missingOf(known, now));
  if (serial === null || paper === undefined) return refined(code, newest);
  if (code === 'kind-not-drawn') return { code, paperKind: paper.kind };
  if (code === 'no-content') {
    return paper.waits_until === null ? { code } : { code: 'waits-for-time', expectedAt: paper.waits_until };
  }
  // T-47: while two frames have one identity nothing that is known of the picture counts.
  if (isConflictOpen(newest?.conflictSince ?? null, now)) return { code: 'identity-doubted' };
  if (paper.problem !== null) return whyNotMade(readReasons(paper.problem));
  const isInstead = newest?.revision !== paper.revision && isOwnImage(newest);
  if (!isInstead) return refined(code, newest);
  return refined(firstOf(missingProof(newest, newest.revision, now)), newest) ?? { code: 'own-image' };
}

function whyNotMade(reasons: Reasons): Why {
  const [setUp, expectedAt] = [whatToSetUp(reasons), beginOfPlaylist(reasons)];
  if (expectedAt !== undefined) return { code: 'begins-later', reasons, expectedAt };
  return setUp === undefined ? { code: 'not-made', reasons } : { code: 'not-set-up', reasons, ...setUp };
}

/** Asks if the newest offer is an image of the device's own: it is shown with a paper and without one. */
export function isOwnImage(newest: Evidence | undefined): newest is Evidence {
  return newest !== undefined && readRevision(newest.revision).kind === 'deviceImage';
}

/** Refines the reason why an offer is not proven: the frame failed, or it sleeps. */
function refined(code: WhyCode | undefined, newest: Evidence | undefined): Why | null {
  if (code === undefined) return null;
  if (newest === undefined || !Object.hasOwn(proofs, code) || code === 'newer-not-offered') return { code };
  if (newest.failedAt !== null) return { code: 'frame-failed', reasons: newest.reasons };
  if (code === 'not-fetched' && newest.announcedAt === null) {
    return { code: 'not-announced', expectedAt: newest.expectedWakeAt ?? undefined };
  }
  return { code };
}
