/** Rendering that tells a meter how long it took. */
import type { Clock } from '../../gateway/runtime/clock.ts';
import type { Meter } from '../../gateway/runtime/meter.ts';
import type { Rendering } from './rendering.ts';

type Measured = Pick<Rendering, 'renderPage' | 'renderDocument' | 'preparePicture'>;

/** The same rendering, timed. The time of a page, somebody's or ours, includes its wait for the browser. */
export function measureRendering(
  rendering: Measured,
  { meter, clock }: { readonly meter: Meter; readonly clock: Clock },
): Measured {
  const secondsSince = (from: number): number => (clock.now() - from) / 1000;
  async function timed<Drawn extends { readonly ok: boolean }>(drawing: Promise<Drawn>): Promise<Drawn> {
    const from = clock.now();
    const drawn = await drawing;
    meter.time('papergate_render_seconds', secondsSince(from), { outcome: drawn.ok ? 'ok' : 'failed' });
    return drawn;
  }
  return {
    renderPage: (wish) => timed(rendering.renderPage(wish)),
    renderDocument: (document) => timed(rendering.renderDocument(document)),
    async preparePicture(image, wish) {
      const from = clock.now();
      let outcome: 'ok' | 'failed' = 'failed';
      try {
        const picture = await rendering.preparePicture(image, wish);
        outcome = 'ok';
        return picture;
      } finally {
        meter.time('papergate_picture_seconds', secondsSince(from), { outcome });
      }
    },
  };
}
