import type { RowIn } from '../../runtime/database/table.ts';
import type { alertsTables } from './tables.ts';

/** The kinds of outages that people are notified about. */

/** The kind of thing that an outage is about; links lead to it. */
type SubjectKind = 'device' | 'paper' | 'rollout' | 'job' | 'organization' | 'service';

interface KindOfOutage {
  readonly of: SubjectKind;
  /** How long it has to last before anyone is notified, in milliseconds; shorter outages are not reported. */
  readonly settleMs: number;
  readonly isUrgent: boolean;
}

const minuteMs = 60_000;

/**
 * Every kind. Those of the `service` are the operator's; all others belong to an organization, but for the rollouts that the
 * operator started.
 */
export const outageKinds = {
  // The presence watch has waited for the frame already.
  'frame-silent': { of: 'device', settleMs: 0, isUrgent: true },
  'battery-low': { of: 'device', settleMs: 0, isUrgent: false },
  'credentials-ending': { of: 'device', settleMs: 0, isUrgent: false },
  'picture-failing': { of: 'paper', settleMs: 15 * minuteMs, isUrgent: false },
  // The paper's own limit has passed already.
  'data-old': { of: 'paper', settleMs: 0, isUrgent: false },
  'callbacks-failing': { of: 'paper', settleMs: 0, isUrgent: false },
  'rollout-paused': { of: 'rollout', settleMs: 0, isUrgent: true },
  // The service level: a fifth of what the target allows in 30 days was late in two.
  'pictures-late': { of: 'organization', settleMs: 0, isUrgent: false },
  'job-paused': { of: 'job', settleMs: 0, isUrgent: true },
  'disk-low': { of: 'service', settleMs: 0, isUrgent: true },
  'certificate-ending': { of: 'service', settleMs: 0, isUrgent: true },
  'backup-failed': { of: 'service', settleMs: 0, isUrgent: true },
  'archive-waits': { of: 'service', settleMs: 5 * minuteMs, isUrgent: true },
  'backup-old': { of: 'service', settleMs: 0, isUrgent: true },
  'data-damaged': { of: 'service', settleMs: 0, isUrgent: true },
} as const satisfies Readonly<Record<string, KindOfOutage>>;
export type OutageKind = keyof typeof outageKinds;

const allKinds = Object.keys(outageKinds) as OutageKind[];

/** The kinds that an organization is notified about. */
export const organizationKinds = allKinds.filter((kind) => outageKinds[kind].of !== 'service') as [
  OutageKind,
  ...OutageKind[],
];

/** Something that is wrong right now. Times are epoch milliseconds. */
export interface Condition {
  /** Null for what the operator is notified of. */
  readonly organizationId: string | null;
  readonly kind: OutageKind;
  /** The id of the object in trouble; for failing callbacks, that of the paper; for a service level, that of the organization. Unique within organization and kind. */
  readonly subject: string;
  /** Its name for people. */
  readonly name: string;
  readonly since: number;
}

/** A row of `alert_outages`. */
export type OutageRow = RowIn<typeof alertsTables, 'alert_outages', { kind: OutageKind }>;

/** How long an outage that is over stays open: when it begins again within this time, it is the same one (INV-90). */
export const holdMs = 10 * minuteMs;
