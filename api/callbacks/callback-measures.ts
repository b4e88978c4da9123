/** The measures of callbacks. */
import type { Measure, Meter } from '../../runtime/meter.ts';

export const callbackMeasures = {
  papergate_callback_attempts_total: {
    kind: 'counter',
    help: 'Attempts to send a callback, and how they ended',
    labels: { outcome: ['delivered', 'failed', 'dropped', 'interrupted'] },
  },
} as const satisfies Record<string, Measure>;

/** Counts attempts to send a callback. */
export type CallbackMeter = Meter<typeof callbackMeasures>;
