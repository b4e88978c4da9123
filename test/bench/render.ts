/**
 * The cost of isolation and the guard to a render: `node --import tsx test/bench/render.ts`. The peer is the least that a
 * careful renderer does with the same browser and flags: fresh context, load, INIT, ready, screenshot, close, straight to
 * the page. Ours is the whole room: pool, guard, page protocol. Rounds alternate in one run; figures are medians.
 * ROUNDS (12) of PER_ROUND (10) renders. MEMORY=1000 measures memory over so many renders instead.
 */

import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { launchBrowser } from '../../api/browser/browser-process.ts';
import { findBrowser } from '../../api/browser/find-browser.ts';
import { postInitAndWatch } from '../../api/in-page/page-scripts.ts';
import { createRendering } from '../../api/rendering/rendering.ts';
import { wordsOf } from '../../reasons/words.ts';
import { systemClock } from '../../runtime/clock.ts';
import { silentLogger } from '../../runtime/logger.ts';

const rounds = Number(process.env.ROUNDS ?? 12);
const perRound = Number(process.env.PER_ROUND ?? 10);
const memoryRenders = Number(process.env.MEMORY ?? 0);

/** Eight cards that are drawn from INIT, then the marker. */
const html = `<!doctype html><meta charset="utf-8"><style>body{margin:0;font:16px sans-serif;display:grid;
grid-template-columns:repeat(4,1fr);gap:8px;padding:8px;height:464px}div{border:2px solid #000;padding:8px}</style><body>
<i id="website-has-loading-element" hidden></i><script>addEventListener('message', ({ data }) => {
  for (let card = 0; card < 8; card++) {
    const div = document.createElement('div');
    div.innerHTML = '<h2>' + data.data.settings.title + ' ' + card + '</h2><p>' + 'words of a card '.repeat(6) + '</p>';
    document.body.append(div);
  }
  document.body.insertAdjacentHTML('beforeend', '<i id="website-has-loaded" hidden></i>');
})</script>`;

const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;

/** Milliseconds of `perRound` renders by so many loops at once: one render's, or the whole round's by the number of renders. */
async function timeRound(loops: number, render: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  let left = perRound * loops;
  const loop = async (): Promise<void> => {
    while (left-- > 0) await render();
  };
  await Promise.all(Array.from({ length: loops }, loop));
  return (performance.now() - startedAt) / (perRound * loops);
}

/** Memory of this process and of everything that it started, in MB; what is shared is divided among those who share it. */
function memoryMb(): { own: number; browser: number } {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const stat = read(`/proc/${name}/stat`);
    parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
  }
  const isOurs = (pid: number): boolean => pid > 1 && (pid === process.pid || isOurs(parents.get(pid) ?? 0));
  const mb = (pid: number): number => Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) / 1024;
  const others = [...parents.keys()].filter((pid) => pid !== process.pid && isOurs(pid));
  return { own: mb(process.pid), browser: others.reduce((sum, pid) => sum + mb(pid), 0) };
}

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return ''; // It ended while it was looked at.
  }
}

const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(html));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const payload = { settings: { title: 'Kitchen' } };
const [width, height] = [800, 480];

const bare = await launchBrowser(await findBrowser({ browserPath: process.env.PAPERGATE_BROWSER }), systemClock);
const rendering = createRendering({
  browserPath: process.env.PAPERGATE_BROWSER,
  clock: systemClock,
  logger: silentLogger,
  rule: { mayResolve: () => false, mayDial: () => false },
});

async function renderBare(): Promise<void> {
  const context = await bare.browser.createBrowserContext({ proxyServer: 'direct://' });
  const page = await context.newPage();
  await page.setViewport({ width, height, deviceScaleFactor: 1 });
  await page.goto(`${origin}/`, { waitUntil: 'domcontentloaded' });
  await page.evaluate(postInitAndWatch, { origin, payload, onlyMarked: true });
  await page.screenshot({ type: 'png', optimizeForSpeed: true, captureBeyondViewport: false });
  await context.close();
}

async function renderOurs(): Promise<void> {
  const options = { sharer: ['bench'], url: `${origin}/`, payload, width, height, allowedOrigin: origin };
  const rendered = await rendering.renderPage(options);
  if (!rendered.ok) throw new Error(wordsOf(rendered.reason));
}

async function compareTimes(): Promise<void> {
  for (const loops of (process.env.LOOPS ?? '1,2').split(',').map(Number)) {
    const times: { ours: number[]; bare: number[] } = { ours: [], bare: [] };
    for (let round = -2; round < rounds; round++) {
      const bareMs = await timeRound(loops, renderBare);
      const ourMs = await timeRound(loops, renderOurs);
      if (round < 0) continue;
      times.bare.push(bareMs);
      times.ours.push(ourMs);
    }
    const [ours, peer] = [median(times.ours), median(times.bare)];
    console.log(
      loops === 1
        ? `one page: ${ours.toFixed(1)} ms a render, bare ${peer.toFixed(1)} ms: ${(ours / peer).toFixed(2)} times (at most 1.15)`
        : `two pages: ${(1000 / ours).toFixed(1)} renders/s, bare ${(1000 / peer).toFixed(1)}: ${(peer / ours).toFixed(2)} (at least 0.9)`,
    );
  }
}

async function watchMemory(): Promise<void> {
  let first = Number.NaN;
  for (let rendered = 1; rendered <= memoryRenders; rendered++) {
    await renderOurs();
    if (rendered % 100 !== 0) continue;
    // The spare of the next render is there by then, and the page before it gone.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    globalThis.gc?.();
    const { own, browser } = memoryMb();
    if (rendered === 100) first = own + browser;
    const ratio = (own + browser) / first;
    console.log(
      `after ${rendered}: ${own.toFixed(0)} MB and ${browser.toFixed(0)} MB of browser, ${ratio.toFixed(2)} of that after 100`,
    );
  }
}

try {
  await rendering.start();
  await (memoryRenders > 0 ? watchMemory() : compareTimes());
} finally {
  await rendering.stop();
  await bare.close();
  server.close();
}
