/** The measures of alerts. */
import type { Measures, Meter } from '../../runtime/meter.ts';

export const alertMeasures = {
  papergate_alert_messages_total: {
    kind: 'counter',
    help: 'Attempts to send a message about outages, and how they ended; dropped are notices that grew too old',
    labels: { outcome: ['sent', 'failed', 'dropped'] },
  },
} as const satisfies Measures;

/** Counts messages about outages. */
export type AlertMeter = Meter<typeof alertMeasures>;
