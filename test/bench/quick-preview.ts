/** How soon the preview on the page that sends shows what was set last, when the crop of a large photograph changes quickly. */
import { setTimeout as pause } from 'node:timers/promises';
import type { KeyInput } from 'puppeteer';
import sharp from 'sharp';
import type { ConsolePage } from '../console/console-world.ts';
import { pick, withFiles } from '../console/pick-files.ts';

const size = { width: 5472, height: 3648 } as const;
/** One after a rest, and eight quick ones: the last of them need more than the smaller copy of the photograph. */
const keys: readonly KeyInput[] = ['+', 'ArrowLeft', '+', 'ArrowUp', '+', 'ArrowRight', '+', 'ArrowDown', '-'];
const betweenMs = 700;
/** For so long it is watched what the preview shows at the end. */
const watchedMs = 3_000;

/** A photograph of twenty megapixels, with the grain of a sensor. */
const photograph = (): Promise<Buffer> =>
  sharp({
    create: { ...size, channels: 3, background: '#888', noise: { type: 'gaussian', mean: 128, sigma: 20 } },
  })
    .composite([
      { input: { create: { width: 1800, height: 1200, channels: 3, background: '#c8642d' } }, top: 700, left: 900 },
    ])
    .jpeg({ quality: 85 })
    .toBuffer();

/** Milliseconds until the preview shows a change for good, one value for each round. */
export interface PreviewTimes {
  /** The last of eight changes of the crop, one each 0.7 seconds. */
  readonly quick: readonly number[];
  /** One change after a rest. */
  readonly rested: readonly number[];
}

/** Changes the crop by keys, and times the preview. */
export async function previewTimes(console: ConsolePage, rounds: number): Promise<PreviewTimes> {
  const [quick, rested]: [number[], number[]] = [[], []];
  await withFiles({ 'twenty.jpg': await photograph() }, async (paths) => {
    const { page } = console;
    const timed = async (key: KeyInput): Promise<number> => {
      const shown = await page.evaluateHandle(watchPreview, watchedMs);
      await page.keyboard.press(key);
      return shown.evaluate(({ ms }) => ms);
    };
    await console.goTo('send');
    await pick(console, paths);
    await page.waitForSelector('.preview figure:not(.old) img', { timeout: 30_000 });
    for (let round = 0; round < rounds; round++) {
      await page.focus('.crop-view');
      await page.keyboard.press('0');
      await pause(2 * betweenMs);
      rested.push(await timed('+'));
      for (const key of keys.slice(1, -1)) {
        await page.keyboard.press(key);
        await pause(betweenMs);
      }
      quick.push(await timed(keys.at(-1) ?? '0'));
    }
  });
  return { quick, rested };
}

/** Watches the preview from the next key on; runs in the page. */
function watchPreview(forMs: number): { ms: Promise<number> } {
  const ms = new Promise<number>((resolve) => {
    const watch = ({ timeStamp }: KeyboardEvent): void => {
      let since: number | undefined;
      let wasOld = false;
      const look = (): void => {
        const at = performance.now();
        const figure = document.querySelector('.preview figure');
        const picture = figure?.querySelector('img');
        const isThere = figure?.classList.contains('old') === false && picture?.complete === true;
        if (!isThere) [wasOld, since] = [true, undefined];
        else if (wasOld) since ??= at;
        if (at - timeStamp < forMs) requestAnimationFrame(look);
        else resolve((since ?? Number.POSITIVE_INFINITY) - timeStamp);
      };
      requestAnimationFrame(look);
    };
    addEventListener('keydown', watch, { once: true, capture: true });
  });
  return { ms };
}
