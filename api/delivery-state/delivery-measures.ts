/** The measures of deliveries: how many there are, and how long they take. */
import type { Measure, Meter } from '../../runtime/meter.ts';
import { countedStates } from './states.ts';

/** Buckets from a moment to the two days that a delivery is watched. */
const roadSeconds = [0.5, 1, 2, 5, 15, 60, 300, 900, 3600, 7200, 21_600, 43_200, 86_400, 172_800] as const;

export const deliveryMeasures = {
  papergate_prepared_seconds: {
    kind: 'histogram',
    help: 'From the acceptance of content to its picture being offered to a frame',
    labels: {},
    buckets: roadSeconds,
  },
  papergate_synced_seconds: {
    kind: 'histogram',
    help: 'Time to glass: from the acceptance of content to the proof that a frame shows it',
    labels: {},
    buckets: roadSeconds,
  },
  papergate_deliveries_total: {
    kind: 'counter',
    help: 'Deliveries that came to this state',
    labels: { state: countedStates },
  },
  papergate_claims_returned_total: {
    kind: 'counter',
    help: 'Work that a node which is gone had begun, and that this node gave back for all',
    labels: { kind: ['delivery', 'callback', 'picture'] },
  },
} as const satisfies Record<string, Measure>;

/** Counts deliveries. */
export type DeliveryMeter = Meter<typeof deliveryMeasures>;
