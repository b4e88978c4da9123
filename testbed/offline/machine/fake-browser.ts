/** The browser of the simulation: it takes its time, fails, or hangs until the service gives it up. */
import type { RenderedPage } from '../../../api/rendering/render-page.ts';
import type { Rendering } from '../../../api/rendering/rendering.ts';
import type { Chance } from './chance.ts';
import { screenshot } from './drawing.ts';
import type { FaultRates } from './fault-rates.ts';
import type { VirtualTime } from './virtual-time.ts';

/** After this long the service gives a page up. */
const maxRenderMs = 60_000;

/** Creates the renderer of pages. Each page draws its faults when its rendering begins. */
export function fakeBrowser(
  time: VirtualTime,
  chance: Chance,
  currentFaults: () => FaultRates,
  arePagesBroken: () => boolean,
): Rendering['renderPage'] {
  return ({ payload }) => {
    const { renderMs, renderFails, renderHangs } = currentFaults();
    const hangs = chance.happens(renderHangs, 'rendering hangs');
    const fails = chance.happens(renderFails, 'rendering fails') || arePagesBroken();
    const afterMs = hangs ? maxRenderMs : chance.whole(20, renderMs);
    const content = payload?.integrationContent as { text: string; imageUrl?: string } | undefined;
    // The address of the image holds its key, before the file's extension.
    const imageUrl = content?.imageUrl;
    const imageKey = imageUrl && new URL(imageUrl).pathname.split(/[/.]/)[2];
    const png = screenshot(String(payload?.id), content && { text: content.text, imageKey });
    return new Promise<RenderedPage>((resolve) => {
      time.after(afterMs, () => {
        if (hangs) resolve({ ok: false, reason: 'The page was not finished within 60 s.' });
        else if (fails) resolve({ ok: false, reason: 'The page failed.' });
        else resolve({ ok: true, png, warnings: [] });
      });
    });
  };
}
