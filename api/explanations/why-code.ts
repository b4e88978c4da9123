/** Names the one thing that keeps a device's newest picture from being proven on its glass, for programs to word. */
import type { Evidence } from '../../gateway/pictures/evidence.ts';
import { missingProof, type Proof } from '../delivery-state/weigh-evidence.ts';
import { readRevision } from '../devices/shown-item.ts';
import { whyNotRendered } from '../papers/kinds.ts';
import { readNotSetUp } from '../papers/not-set-up.ts';

/** Every code, each with its meaning for a person. */
export const whyMeanings = {
  'no-frame': 'no frame is bound to the device',
  'no-paper': 'no paper is selected for it',
  'kind-not-drawn': 'papers of this kind are not rendered',
  'no-content': 'its paper has no content',
  'not-set-up':
    'its paper, or chosenPaper of its slides or playlist, is not set up yet, which is no failure; reason says what to do, paperKind of which kind that paper is',
  'waits-for-time': 'its paper has no content yet, and a picture waits; expectedAt says until when',
  'identity-doubted': 'two frames claim this identity, so that no report proves anything',
  'not-made': 'the picture could not be made; reason says why',
  'frame-failed': 'the frame says that the update went wrong; reason has its words',
  'nothing-offered': 'nothing was offered to the frame yet',
  'own-image': "the frame shows an image of the device's own instead of its paper",
  'newer-not-offered': 'newer content was not offered to the frame yet',
  'not-announced': 'the frame was not told yet, because it sleeps; expectedAt says until when',
  'not-fetched': 'the frame was told, and has not fetched every byte',
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
  /** The reason that was recorded, as a sentence. */
  readonly reason?: string | undefined;
  /** The time at which the frame is expected, where it is waited for. */
  readonly expectedAt?: number | undefined;
  /** The kind of a paper that is not rendered, or not set up. */
  readonly paperKind?: string | undefined;
  /** The paper that slides or a playlist chose, when it is the one that is not set up. */
  readonly chosenPaper?: string | undefined;
}

/** The facts that the code is chosen by. */
export interface WhyFacts {
  readonly serial: string | null;
  /** The paper that is selected, if there is one; its revision is null when it has nothing to show. */
  readonly paper:
    | { readonly kind: string; readonly revision: string | null; readonly waits_until: number | null }
    | undefined;
  /** The evidence of the newest offer, if there is one. */
  readonly evidence: Evidence | undefined;
  /** The reason why the paper's picture could not be made. */
  readonly problem: string | null;
}

/** The proofs, with the code of each, in the order in which a picture gets them. */
const proofCodes: readonly (readonly [Proof, WhyCode])[] = [
  ['no other frame claims this identity', 'identity-doubted'],
  ['the newest upload of this frame carries this content', 'newer-not-offered'],
  ['every byte was fetched', 'not-fetched'],
  ['the frame reports this newer version', 'not-shown'],
  ['the digest on the glass is this picture', 'other-digest'],
  ['the frame says its picture is in step', 'not-in-step'],
  ['announced, fetched and reported in that order', 'order-unproven'],
  ['the frame was in contact after it fetched', 'contact-too-old'],
];

/** Chooses the code; null when the newest picture is proven on the glass. */
export function whyNot({ serial, paper, evidence, problem }: WhyFacts, now: number): Why | null {
  if (serial === null) return { code: 'no-frame' };
  if (paper === undefined) return isOwnImage(evidence) ? whyUnproven(evidence, now) : { code: 'no-paper' };
  if (paper.revision === null) {
    const isUnknown = whyNotRendered(paper.kind) !== undefined;
    if (isUnknown) return { code: 'kind-not-drawn', paperKind: paper.kind };
    if (paper.waits_until !== null) return { code: 'waits-for-time', expectedAt: paper.waits_until };
    return { code: 'no-content' };
  }
  const missing = evidence === undefined ? [] : missingProof(evidence, paper.revision, now);
  if (missing.includes('no other frame claims this identity')) return { code: 'identity-doubted' };
  if (problem !== null) {
    const setUp = readNotSetUp(problem);
    return setUp === undefined
      ? { code: 'not-made', reason: problem }
      : { code: 'not-set-up', reason: problem, ...setUp };
  }
  if (evidence === undefined) return { code: 'nothing-offered' };
  const isInstead = evidence.revision !== paper.revision && isOwnImage(evidence);
  return isInstead ? (whyUnproven(evidence, now) ?? { code: 'own-image' }) : whyUnproven(evidence, now, paper.revision);
}

/** Asks if the newest offer is an image of the device's own: it is shown with a paper and without one. */
export function isOwnImage(evidence: Evidence | undefined): evidence is Evidence {
  return evidence !== undefined && readRevision(evidence.revision).kind === 'deviceImage';
}

/** What keeps the newest offer, or this revision, from being proven; null when nothing does. */
function whyUnproven(evidence: Evidence, now: number, revision = evidence.revision): Why | null {
  const missing = missingProof(evidence, revision, now);
  const code = proofCodes.find(([proof]) => missing.includes(proof))?.[1];
  return code === undefined ? null : codeOfOffer(code, evidence);
}

function codeOfOffer(code: WhyCode, evidence: Evidence): Why {
  if (code === 'newer-not-offered') return { code };
  if (evidence.failedAt !== null) return { code: 'frame-failed', reason: evidence.reason ?? undefined };
  if (code === 'not-fetched' && evidence.announcedAt === null) {
    return { code: 'not-announced', expectedAt: evidence.expectedWakeAt ?? undefined };
  }
  return { code };
}
