/** Describes a delivery for the status endpoint: since when it has its state, its evidence, and what is missing. */

import type { Grade } from '../../gateway/frames/grades.ts';
import { graceMs } from '../../gateway/frames/presence.ts';
import type { Evidence } from '../../gateway/pictures/evidence.ts';
import { readReasons } from '../../reasons/reason.ts';
import { wordsOf } from '../../reasons/words.ts';
import { isoTime } from '../../runtime/clock.ts';
import { type DeliveryRow, openDeliveryStates } from '../delivery-state/states.ts';
import { evidenceLevel, evidenceLevels, missingProof, proofs } from '../delivery-state/weigh-evidence.ts';
import { revisionOf } from '../devices/shown-item.ts';
import { type SpelledReasons, spelledAs } from '../http/spelled-reasons.ts';

/** The levels of evidence that a delivery may have reached. */
export const deliveryLevels = ['not offered', ...evidenceLevels] as const;

const offer = 'the picture was offered to the frame';
/** The proofs that may be missing before a delivery is `synced`. */
export const deliveryProofs = [offer, ...Object.values(proofs)] as const;

/** The additional fields of a delivery. Times are ISO 8601. */
export interface DeliveryDescription {
  since: string;
  reason?: string;
  reasons?: SpelledReasons;
  evidence?: {
    level: (typeof deliveryLevels)[number];
    grade?: Grade;
    offeredAt?: string;
    announcedAt?: string;
    fetchedAt?: string;
    shownAt?: string;
    confirmedAt?: string;
    missing?: (typeof deliveryProofs)[number][];
  };
  /** The time at which the frame was to wake next, while it is waited for: in the past when it has not come. */
  expectedAt?: string;
  /** The frame has not come, and its grace is over. */
  overdue?: true;
}

/** The times at which a frame was last there and is to come back. */
type Wakes = Pick<Evidence, 'expectedWakeAt' | 'lastContactAt'>;

/** Describes one delivery from its row, its upload's evidence, if there is an upload, and its frame's wakes. */
export function describeDelivery(
  delivery: DeliveryRow,
  evidence: Evidence | undefined,
  wakes: Wakes | undefined,
  now: number,
): DeliveryDescription {
  const isOpen = openDeliveryStates.includes(delivery.state);
  const reasons = readReasons(delivery.reason);
  return {
    since: isoTime(delivery.updated_at),
    ...(reasons.length > 0 && { reason: wordsOf(reasons), ...spelledAs('reasons', reasons) }),
    ...describeEvidence(delivery, evidence, now),
    ...(isOpen && wakes !== undefined && describeWait(wakes, now)),
  };
}

function describeEvidence(
  delivery: DeliveryRow,
  evidence: Evidence | undefined,
  now: number,
): Pick<DeliveryDescription, 'evidence'> {
  const { state, request_id: id } = delivery;
  const revision = revisionOf({ kind: 'content', id });
  if (evidence === undefined) {
    if (state === 'pending') return { evidence: { level: 'not offered' } };
    return state === 'unconfirmed' ? { evidence: { level: 'not offered', missing: [offer] } } : {};
  }
  // A window that has ended is described as it was then: proof that came later moved nothing any longer.
  const at = state === 'unconfirmed' ? delivery.updated_at : now;
  const isUnproven = state === 'prepared' || state === 'unconfirmed' || hasLostItsProof(state, evidence);
  const missing = isUnproven ? missingProof(evidence, revision, at) : [];
  return {
    evidence: {
      level: evidenceLevel(evidence),
      grade: evidence.grade,
      offeredAt: isoTime(evidence.offeredAt),
      ...time('announcedAt', evidence.announcedAt),
      ...time('fetchedAt', evidence.fetchedAt),
      ...time('shownAt', evidence.shownAt),
      ...time('confirmedAt', evidence.confirmedAt),
      ...(missing.length > 0 && { missing: missing.map((proof) => proofs[proof]) }),
    },
  };
}

/**
 * Whether a delivery stays `synced`, as it was proven once (INV-25), while its standing offer has begun again, as after a
 * restore: then nothing proves that the glass still shows it (INV-91).
 */
function hasLostItsProof(state: DeliveryRow['state'], evidence: Evidence): boolean {
  return state === 'synced' && !evidence.replaced && evidence.shownAt === null && evidence.confirmedAt === null;
}

function describeWait(
  { expectedWakeAt, lastContactAt }: Wakes,
  now: number,
): Pick<DeliveryDescription, 'expectedAt' | 'overdue'> {
  if (expectedWakeAt === null) return {};
  const isOverdue = now > expectedWakeAt + graceMs({ asleep_until: expectedWakeAt, last_contact_at: lastContactAt });
  return { expectedAt: isoTime(expectedWakeAt), ...(isOverdue && { overdue: true as const }) };
}

function time(name: string, at: number | null): Record<string, string> {
  return at === null ? {} : { [name]: isoTime(at) };
}
