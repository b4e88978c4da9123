/** The metric about the home's broker. */
import type { Measures } from '../../runtime/meter.ts';

export const homeMeasures = {
  papergate_home_broker_total: {
    kind: 'counter',
    help: "Connections to the home's broker: made, lost again, or failed",
    labels: { state: ['connected', 'lost', 'failed'] },
  },
} as const satisfies Measures;
