/**
 * The console against what its users feel, `node --import tsx test/bench/console.ts`, in a real Chromium:
 * 1. the first picture of the frames page on a cold cache, with the processor slowed four times (at most 1 s);
 * 2. scrolling through 10,000 devices (at least 50 frames a second, half of them drawn again on the way);
 * 3. from the commit of a change to its row on an open page (at most 1 s);
 * 4. from the last of eight quick changes of a crop to its preview, for a photograph of 20 megapixels (at most 0.4 s);
 * Next to 2 it prints what a page of one line reaches in the same browser, next to 4 how long one change after a rest
 * takes. DEVICES (10000) may be given.
 */
import type { Page } from 'puppeteer';
import { callApi } from '../call-api.ts';
import { type ConsolePage, withConsole } from '../console/console-world.ts';
import { addDevices } from '../console/many-devices.ts';
import { previewTimes } from './quick-preview.ts';

const count = Number(process.env.DEVICES ?? 10_000);
const rounds = 5;
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
const problems: string[] = [];

function judge(what: string, value: number, limit: number, unit: string, isLeast = false): void {
  const holds = isLeast ? value >= limit : value <= limit;
  console.log(`${what}: ${value.toFixed(value < 10 ? 2 : 0)} ${unit} (${isLeast ? 'at least' : 'at most'} ${limit})`);
  if (!holds) problems.push(what);
}

/** Milliseconds until a picture on the page was drawn whole, from the beginning of its navigation. */
async function firstPicture({ page }: ConsolePage, http: string): Promise<number> {
  const session = await page.createCDPSession();
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  await page
    .goto(`${http}/console/frames`, { waitUntil: 'commit' as 'load' })
    .catch(() => page.goto(`${http}/console/frames`));
  const ms = await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const look = (): void => {
          const picture = document.querySelector<HTMLImageElement>('.hung img');
          if (picture?.complete === true && picture.naturalWidth > 0) resolve(performance.now());
          else requestAnimationFrame(look);
        };
        look();
      }),
  );
  await session.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  await session.detach();
  return ms;
}

/** Frames a second while the page scrolls for three seconds. */
const scrolled = (page: Page, step: number): Promise<number> =>
  page.evaluate(
    (pixels) =>
      new Promise<number>((resolve) => {
        const startedAt = performance.now();
        let frames = 0;
        const draw = (): void => {
          frames += 1;
          scrollBy(0, pixels);
          const seconds = (performance.now() - startedAt) / 1000;
          if (seconds < 3) requestAnimationFrame(draw);
          else resolve(frames / seconds);
        };
        requestAnimationFrame(draw);
      }),
    step,
  );

await withConsole(async (world) => {
  const { http, person, openPage, startFrames, createPaper, showOn } = world;
  const serial = 'epd7-0000c0be0c01';
  await startFrames([{ serial, dialect: 'native' }]);
  await showOn(await createPaper('text', { text: 'Good morning' }), [serial]);
  const few = await openPage();
  await few.sees('Confirmed by the frame');
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) times.push(await firstPicture(few, http));
  judge('first picture, cold cache, processor slowed four times', median(times), 1000, 'ms');

  const [device] = await callApi<{ id: string }[]>(person, 'GET', '/devices/');
  const latencies: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const name = `Kitchen ${round}`;
    const startedAt = performance.now();
    await callApi(person, 'POST', `/devices/${device?.id}`, { meta: { name } });
    await few.sees(name);
    latencies.push(performance.now() - startedAt);
  }
  judge('a change is on an open page', median(latencies), 1000, 'ms');

  const { quick, rested } = await previewTimes(few, rounds);
  const each = quick.map((ms) => ms.toFixed(0)).join(', ');
  judge(
    `a preview after eight quick changes (${each}; after a rest: ${median(rested).toFixed(0)})`,
    median(quick),
    400,
    'ms',
  );

  await addDevices(world, count);
  const many = await openPage();
  await many.sees(`${new Intl.NumberFormat('en').format(count + 1)} frames`);
  await many.page.evaluate(() => scrollTo(0, 0));
  const cards = await scrolled(many.page, 180);
  const inDocument = await many.page.evaluate(() => document.querySelectorAll('.window-grid > li').length);
  await many.goTo('nowhere');
  const bare = await scrolled(many.page, 180);
  judge(
    `${count} devices scroll (a page of one line: ${bare.toFixed(0)}; ${inDocument} cards in the document)`,
    cards,
    50,
    'frames/s',
    true,
  );
});

if (problems.length > 0) {
  console.log(`missed: ${problems.join('; ')}`);
  process.exitCode = 1;
}
