/** The measures of being one of several nodes. A process that is alone counts none of them. */
import type { Measure, Meter } from '../../runtime/meter.ts';

export const nodeMeasures = {
  papergate_node_changes_total: {
    kind: 'counter',
    help: 'What became of other nodes, as this one saw it',
    labels: { state: ['joined', 'draining', 'left', 'dead', 'returned', 'replaced'] },
  },
  papergate_lease_changes_total: {
    kind: 'counter',
    help: 'Leases that this node took, lost because it did not renew them in time, or gave back',
    labels: { state: ['taken', 'lost', 'returned'] },
  },
  papergate_node_channel_seconds: {
    kind: 'histogram',
    help: 'From the moment at which another node said something to the moment at which this one heard it',
    labels: {},
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30],
  },
} as const satisfies Record<string, Measure>;

/** The meter of these measures. */
export type NodeMeter = Meter<typeof nodeMeasures>;
