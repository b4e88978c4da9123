/**
 * From a 202 to `prepared` against the bare page screenshot, in one run: `node --import tsx test/bench/prepared.ts`.
 * The service is the whole one, with one awake frame and the demo's integration page. The peer is the least that any
 * renderer must do for the same page in a browser started the same way: fresh context, load, INIT, ready, screenshot.
 * Texts go to one and the other in turn; ROUNDS (20) after three to warm up. Then texts of our own, which no browser draws.
 */
import type { Browser } from 'puppeteer';
import { launchBrowser } from '../../api/browser/browser-process.ts';
import { findBrowser } from '../../api/browser/find-browser.ts';
import { postInitAndWatch } from '../../api/in-page/page-scripts.ts';
import { systemClock } from '../../runtime/clock.ts';
import { callApi } from '../call-api.ts';
import { postcardMeta, type ServiceWorld, withService } from '../journeys/world.ts';

const rounds = Number(process.env.ROUNDS ?? 20);
const serial = 'epd7-0000000000a1';

async function bareScreenshot(browser: Browser, url: string, text: string): Promise<number> {
  const start = performance.now();
  const context = await browser.createBrowserContext({ proxyServer: 'direct://' });
  const page = await context.newPage();
  await page.setViewport({ width: 800, height: 480, deviceScaleFactor: 1 });
  await page.goto(url, { waitUntil: 'domcontentloaded' });
  await page.evaluate(postInitAndWatch, {
    origin: new URL(url).origin,
    payload: { integrationContent: { text } },
    onlyMarked: false,
  });
  await page.screenshot({ type: 'png', optimizeForSpeed: true, captureBeyondViewport: false });
  await context.close();
  return performance.now() - start;
}

/** Milliseconds from the answered submission to the offer that stands in the upload log. */
async function toPrepared(world: ServiceWorld, submit: () => Promise<{ requestId: string }>): Promise<number> {
  const { requestId } = await submit();
  const start = performance.now();
  const { db } = world.context;
  for (;;) {
    const row = await db('deliveries').where({ request_id: requestId, state: 'prepared' }).first('request_id');
    if (row !== undefined) return performance.now() - start;
    if (performance.now() - start > 30_000) throw new Error('not prepared within 30 s');
    await new Promise((done) => setTimeout(done, 2));
  }
}

/** Neither side pays for what the other clears up after itself. */
const clearedUp = (): Promise<void> => new Promise((done) => setTimeout(done, 500));

function median(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN;
}

function report(what: string, ours: readonly number[], theirs: readonly number[]): void {
  const [own, peer] = [median(ours), median(theirs)];
  const ratio = (own / peer).toFixed(2);
  console.log(
    `${what} ${own.toFixed(0)} ms, bare screenshot ${peer.toFixed(0)} ms: ${ratio} times (median of ${rounds})`,
  );
}

/** From the answer to a changed text, which no browser draws, to the offer of its picture. */
async function timeTexts(world: ServiceWorld, theirs: readonly number[]): Promise<void> {
  const { db } = world.context;
  const paper = await world.createPaper('text', { text: 'Round' });
  await world.showOn(paper, [serial]);
  const [device, organization] = [
    await db('devices').where({ serial }).first('id'),
    await db('organizations').first('id'),
  ];
  const offers = async (): Promise<number> =>
    Number((await db('uploads').where({ serial }).count('* as n').first())?.n);
  const ours: number[] = [];
  for (let round = -3; round < rounds; round++) {
    await clearedUp();
    const before = await offers();
    await callApi(world.person, 'POST', `/papers/${paper}`, {
      deviceId: device.id,
      organization: organization.id,
      kind: 'text',
      meta: { orientation: 'landscape', text: `Round ${round}` },
    });
    const start = performance.now();
    while ((await offers()) === before) {
      if (performance.now() - start > 30_000) throw new Error('not prepared within 30 s');
      await new Promise((done) => setTimeout(done, 2));
    }
    if (round >= 0) ours.push(performance.now() - start);
  }
  report('changed text to prepared', ours, theirs);
}

const found = await findBrowser({ browserPath: process.env.PAPERGATE_BROWSER, searchPath: process.env.PATH });
const bare = await launchBrowser(found, systemClock);
await withService(async (world) => {
  await world.startFrames([{ serial, dialect: 'native' }]);
  const paper = await world.createPaper('plugin', postcardMeta(world.integration));
  await world.showOn(paper, [serial]);
  const push = await world.connect(paper);
  const url = new URL('render.html', world.integration.configUrl).href;
  const [ours, theirs]: number[][] = [[], []];
  for (let round = -3; round < rounds; round++) {
    const text = `Round ${round}`;
    await clearedUp();
    const screenshot = await bareScreenshot(bare.browser, url, text);
    await clearedUp();
    const prepared = await toPrepared(world, () => push.submit({ messageId: text, text }));
    if (round < 0) continue;
    theirs?.push(screenshot);
    ours?.push(prepared);
  }
  report('202 to prepared', ours ?? [], theirs ?? []);
  await timeTexts(world, theirs ?? []);
});
await bare.close();
