/** Measures the time of renderings. */
import type { Clock } from '../../runtime/clock.ts';
import type { RenderMeter } from './render-measures.ts';
import type { Rendering } from './rendering.ts';

type Measured = Pick<Rendering, 'renderPage' | 'renderDocument' | 'preparePicture' | 'workOnRecipe'>;

/**
 * Returns the same rendering, timed. The time of a page, an integration's or ours, includes its wait for the browser.
 */
export function measureRendering(
  rendering: Measured,
  { meter, clock }: { readonly meter: RenderMeter; readonly clock: Clock },
): Measured {
  const secondsSince = (from: number): number => (clock.now() - from) / 1000;
  async function timed<Drawn extends { readonly ok: boolean }>(drawing: Promise<Drawn>): Promise<Drawn> {
    const from = clock.now();
    const drawn = await drawing;
    meter.time('papergate_render_seconds', secondsSince(from), { outcome: drawn.ok ? 'ok' : 'failed' });
    return drawn;
  }
  return {
    workOnRecipe: rendering.workOnRecipe,
    renderPage: (options) => timed(rendering.renderPage(options)),
    renderDocument: (document, sharer) => timed(rendering.renderDocument(document, sharer)),
    async preparePicture(image, options) {
      const from = clock.now();
      let outcome: 'ok' | 'failed' = 'failed';
      try {
        const picture = await rendering.preparePicture(image, options);
        outcome = 'ok';
        return picture;
      } finally {
        meter.time('papergate_picture_seconds', secondsSince(from), { outcome });
      }
    },
  };
}
