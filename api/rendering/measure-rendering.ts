/** Rendering that tells a meter how long it took. */
import type { Clock } from '../../gateway/runtime/clock.ts';
import type { Meter } from '../../gateway/runtime/meter.ts';
import type { Rendering } from './rendering.ts';

/** The same rendering, timed. The time of a page includes its wait for the browser. */
export function measureRendering(
  rendering: Pick<Rendering, 'renderPage' | 'preparePicture'>,
  { meter, clock }: { readonly meter: Meter; readonly clock: Clock },
): Pick<Rendering, 'renderPage' | 'preparePicture'> {
  const secondsSince = (from: number): number => (clock.now() - from) / 1000;
  return {
    async renderPage(wish) {
      const from = clock.now();
      const page = await rendering.renderPage(wish);
      meter.time('papergate_render_seconds', secondsSince(from), { outcome: page.ok ? 'ok' : 'failed' });
      return page;
    },
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
