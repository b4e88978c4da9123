/**
 * The cost of recipes: `node --import tsx test/bench/recipes.ts`. Drawing one of ours, from its data to the panel's file, beside
 * its page in the same browser with nothing around it, in alternating rounds; the same page once more; a poll that brings
 * nothing new beside the bare request for it; and the memory of all. Figures are medians. ROUNDS (5) of every recipe, RECIPES
 * (100) are polled.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { launchBrowser } from '../../api/browser/browser-process.ts';
import { findBrowser } from '../../api/browser/find-browser.ts';
import { drawRecipe, type RecipeDrawDeps } from '../../api/drawing/draw-recipe.ts';
import { drawnPages } from '../../api/drawing/drawn-pages.ts';
import type { PaperSheet } from '../../api/drawing/paper-sheet.ts';
import { noHomeNetworks } from '../../api/outgoing/home-networks.ts';
import { openWayOut } from '../../api/outgoing/way-out.ts';
import { type Polling, pollRecipe } from '../../api/recipes/data/read-recipe.ts';
import type { KnownRecipe } from '../../api/recipes/known-recipe.ts';
import { ownRecipeFile, ownRecipes } from '../../api/recipes/own-recipes.ts';
import { templateValues } from '../../api/recipes/package/recipe-fields.ts';
import { screenFile } from '../../api/recipes/screen/screen-files.ts';
import { screenAddress, screenOrigin } from '../../api/recipes/screen/screen-page.ts';
import { createRendering } from '../../api/rendering/rendering.ts';
import { panels } from '../../firmware-protocol/panels.ts';
import { wordsOf } from '../../reasons/words.ts';
import { systemClock } from '../../runtime/clock.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { fakeNetwork } from '../callbacks/receiver.ts';

const rounds = Number(process.env.ROUNDS ?? 5);
const polled = Number(process.env.RECIPES ?? 100);
const everySeconds = 900;
const at = Date.parse('2026-06-04T12:05:00Z');
const panel = panels.epd7;
if (panel === undefined) throw new Error('there is no panel epd7');

const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;
const ms = (value: number): string => `${value.toFixed(1)} ms`;
const megabytes = (): number => process.memoryUsage().rss / 2 ** 20;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

/** Returns the milliseconds of this process's cores, its threads' too, that a piece of work takes. */
async function worked(work: () => Promise<unknown>): Promise<number> {
  const begin = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1_000;
}

const rendering = createRendering({
  browserPath: process.env.PAPERGATE_BROWSER,
  clock: systemClock,
  logger: silentLogger,
  rule: { mayResolve: () => false, mayDial: () => false },
});
const bare = await launchBrowser(await findBrowser({ browserPath: process.env.PAPERGATE_BROWSER }), systemClock);

let pageNow = '';
const answer = '{"temperature":21.4,"hours":[1,2,3,4,5,6,7,8],"place":"Hall"}';
const server = createServer(async ({ url = '/' }, response) => {
  if (url === '/data') return response.setHeader('content-type', 'application/json').end(answer);
  const file =
    url === '/'
      ? { contentType: 'text/html; charset=utf-8', body: pageNow }
      : await screenFile(`${screenOrigin}${url}`);
  const body = typeof file?.body === 'string' ? file.body.replaceAll(screenOrigin, '') : file?.body;
  return response
    .writeHead(file === undefined ? 404 : 200, { 'content-type': file?.contentType ?? 'text/plain' })
    .end(body);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;

function sheetOf({ id, name }: KnownRecipe): PaperSheet {
  const wanted = {
    sharer: ['house', id],
    paperId: id,
    edition: 1,
    panel,
    orientation: 'landscape',
    serial: 's',
    shown: {},
  };
  const meta = { title: name, language: 'en', timezone: 'Europe/Berlin' };
  return { paper: { id, organization_id: 'house', kind: 'recipe' }, meta, wanted, at } as unknown as PaperSheet;
}

/** Draws as the line does; the pages that are made are remembered for the bare browser. */
function drawingOf(known: KnownRecipe, kept?: RecipeDrawDeps['drawnPages']): () => Promise<void> {
  const data = readFileSync(ownRecipeFile(known.id, 'sample.json'), 'utf8');
  const deps: RecipeDrawDeps = {
    rendering: {
      ...rendering,
      async renderPage(options) {
        pageNow = String((await options.files?.read(screenAddress))?.body ?? '');
        return rendering.renderPage(options);
      },
    },
    readRecipe: async () => ({
      ok: true,
      known,
      data,
      values: templateValues(known.recipe.settings.fields, {}, '2026-06-04'),
    }),
    missed: () => {},
    ...(kept !== undefined && { drawnPages: kept }),
  };
  return async () => {
    const drawn = await drawRecipe(deps, sheetOf(known));
    if (!drawn.ok) throw new Error(`${known.id} was not drawn: ${JSON.stringify(drawn.reason)}`);
  };
}

async function drawBarely(): Promise<void> {
  const context = await bare.browser.createBrowserContext({ proxyServer: 'direct://' });
  const page = await context.newPage();
  await page.setViewport({ width: 800, height: 480, deviceScaleFactor: 1 });
  await page.goto(`http://127.0.0.1:${port}/`, { waitUntil: 'domcontentloaded' });
  await page.waitForSelector('#website-has-loaded');
  await page.screenshot({ type: 'png', optimizeForSpeed: true, captureBeyondViewport: false });
  await context.close();
}

async function compareDrawing(): Promise<void> {
  const [ours, peer, again]: [number[], number[], number[]] = [[], [], []];
  let quick = 0;
  const all = [...(await ownRecipes()).values()];
  for (const known of all) {
    const [draw, own, barely]: [() => Promise<void>, number[], number[]] = [drawingOf(known), [], []];
    const keeping = drawingOf(known, drawnPages());
    await keeping();
    for (let round = -1; round < rounds; round++) {
      const [ourMs, bareMs] = [await timed(draw), await timed(drawBarely)];
      if (round < 0) continue;
      own.push(ourMs);
      barely.push(bareMs);
      again.push(await timed(keeping));
    }
    const [ownMs, bareMs] = [median(own), median(barely)];
    ours.push(ownMs);
    peer.push(bareMs);
    if (ownMs < 300) quick += 1;
    console.log(`${known.id}: ${ms(ownMs)}, bare page ${ms(bareMs)}: ${(ownMs / bareMs).toFixed(2)} times`);
  }
  const ratio = median(ours) / median(peer);
  console.log(`${quick} of ${all.length} drawn in under 300 ms; ${ratio.toFixed(2)} times the bare page`);
  console.log(
    `the same page again: ${ms(median(again))}, ${(median(again) / median(peer)).toFixed(3)} times the bare page`,
  );
}

async function comparePolling(): Promise<void> {
  const [known] = (await ownRecipes()).values();
  if (known === undefined) throw new Error('there are no recipes');
  const settings = { ...known.recipe.settings, addresses: 'http://data.example/data', headers: '', fields: [] };
  const network = fakeNetwork(port, () => ['93.184.215.14']);
  const deps = {
    clock: systemClock,
    work: rendering.workOnRecipe,
    follow: { wayOut: openWayOut({ network, clock: systemClock }), home: noHomeNetworks },
  };
  const polling = (house: number, kept?: Polling['kept']): Polling => ({
    sharer: [`house ${house}`],
    recipe: { ...known.recipe, settings },
    values: {},
    hasSecrets: false,
    logins: [],
    timeZone: 'Europe/Berlin',
    seen: {},
    kept,
    hosts: undefined,
  });
  const poll = async (house: number, kept?: Polling['kept']) => {
    const answered = await pollRecipe(deps, polling(house, kept));
    if (!answered.ok) throw new Error(wordsOf(answered.reason));
    return answered.kept;
  };
  const before = megabytes();
  const kept: NonNullable<Polling['kept']>[] = [];
  for (let house = 0; house < polled; house++) kept.push(await poll(house));
  const memory = megabytes() - before;
  const [ours, peer]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    ours.push(
      await worked(async () => {
        for (const [house, data] of kept.entries()) await poll(house, data);
      }),
    );
    peer.push(
      await worked(async () => {
        for (const _ of kept) await (await fetch(`http://127.0.0.1:${port}/data`)).json();
      }),
    );
  }
  const [each, barely] = [median(ours) / polled, median(peer) / polled];
  const share = (each * polled) / (everySeconds * 1_000);
  console.log(
    `a poll without news: ${ms(each)} of a core, bare request ${ms(barely)}: ${(each / barely).toFixed(2)} times`,
  );
  console.log(
    `${polled} recipes every 15 minutes, each of another house: ${(share * 100).toFixed(2)} % of a core (at most 2)`,
  );
  console.log(`memory with their thread: ${memory.toFixed(0)} MB more (at most 40)`);
}

try {
  await comparePolling();
  await compareDrawing();
} finally {
  await rendering.stop();
  await bare.close();
  server.close();
}
