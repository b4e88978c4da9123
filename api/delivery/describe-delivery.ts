/** What the status endpoint says of a delivery beyond its state: since when, how far it is proven, what is missing. */
import type { Evidence } from '../../gateway/pictures/evidence.ts';
import { isoTime } from '../../gateway/runtime/clock.ts';
import type { DeliveryRow } from './states.ts';
import { type EvidenceLevel, evidenceLevel, missingProof } from './weigh-evidence.ts';

/** The additional fields of a delivery. Times are ISO 8601. */
export interface DeliveryDescription {
  since: string;
  reason?: string;
  evidence?: {
    level: EvidenceLevel;
    offeredAt: string;
    announcedAt?: string;
    fetchedAt?: string;
    shownAt?: string;
    confirmedAt?: string;
    missing?: string[];
  };
  /** The frame's next expected wake, while it is waited for. */
  expectedAt?: string;
}

/** Describes one delivery from its row and its upload's evidence, if there is an upload. */
export function describeDelivery(
  delivery: DeliveryRow,
  evidence: Evidence | undefined,
  now: number,
): DeliveryDescription {
  const description: DeliveryDescription = { since: isoTime(delivery.updated_at) };
  if (delivery.reason !== null) description.reason = delivery.reason;
  if (evidence === undefined) return description;
  const missing = delivery.state === 'prepared' ? missingProof(evidence, delivery.request_id, now) : [];
  description.evidence = {
    level: evidenceLevel(evidence),
    offeredAt: isoTime(evidence.offeredAt),
    ...time('announcedAt', evidence.announcedAt),
    ...time('fetchedAt', evidence.fetchedAt),
    ...time('shownAt', evidence.shownAt),
    ...time('confirmedAt', evidence.confirmedAt),
    ...(missing.length > 0 && { missing }),
  };
  if (delivery.state === 'prepared' && evidence.expectedWakeAt !== null) {
    description.expectedAt = isoTime(Math.max(evidence.expectedWakeAt, now));
  }
  return description;
}

function time(name: string, at: number | null): Record<string, string> {
  return at === null ? {} : { [name]: isoTime(at) };
}
