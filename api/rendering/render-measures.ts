/** The measures of drawing. */
import type { Measure, Meter } from '../../runtime/meter.ts';

const renderSeconds = [0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 45, 90] as const;

export const renderMeasures = {
  papergate_render_seconds: {
    kind: 'histogram',
    help: 'Duration of renderings of a page, waiting in the queue included',
    labels: { outcome: ['ok', 'failed'] },
    buckets: renderSeconds,
  },
  papergate_picture_seconds: {
    kind: 'histogram',
    help: 'Duration of making the file of a panel out of a picture',
    labels: { outcome: ['ok', 'failed'] },
    buckets: renderSeconds,
  },
} as const satisfies Record<string, Measure>;

/** Times renderings and pictures. */
export type RenderMeter = Meter<typeof renderMeasures>;
