/** The measures of HTTP requests. */
import type { Measure, Meter } from '../../runtime/meter.ts';

export const httpMeasures = {
  papergate_http_request_seconds: {
    kind: 'histogram',
    help: 'Duration of HTTP requests, by the template of their route',
    labels: { method: 'bounded', route: 'bounded', status: 'bounded' },
    buckets: [0.005, 0.025, 0.1, 0.5, 2, 10],
  },
} as const satisfies Record<string, Measure>;

/** Times HTTP requests. */
export type HttpMeter = Meter<typeof httpMeasures>;
