/** Pages that fill every pipe and memory they can reach, beside a page that only takes its time (T-62, T-10). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { defaultLimits } from '../../api/rendering/pool-limits.ts';
import { processesOfGroup } from '../../api/rendering/see-browser.ts';
import { longTest } from '../some-times.ts';
import { loadingMarker, ownBrowser, type Page, withPages, withRendering } from './render-world.ts';

const test = suite('loud pages');

const script = (code: string): Page =>
  `<body>word ${loadingMarker}<script>addEventListener('message', () => {${code}})</script>`;
const always = (code: string): Page => script(`setInterval(() => { for (let at = 0; at < 2000; at++) {${code}} }, 0)`);
const inWorker = (code: string): string => `new Worker(URL.createObjectURL(new Blob([${JSON.stringify(code)}])))`;

/** By what they do: all of them took the browser, or this process, far beyond its bounds while they were listened to. */
const loud: Readonly<Record<string, Page>> = {
  '/words': always(`console.log('word', at, { a: [1, 2, 3] })`),
  '/long-words': script(
    `const long = 'x'.repeat(1e6); setInterval(() => { for (let at = 0; at < 20; at++) console.log(long) }, 0)`,
  ),
  '/errors': script(`for (let at = 0; at < 100; at++) setInterval(() => { throw new Error('x'.repeat(100000)) }, 0)`),
  '/rejections': always(`Promise.reject(new Error('x'.repeat(10000)))`),
  '/worker': script(inWorker(`for (;;) console.error('word', { a: 1 })`)),
  '/requests': always(`fetch('/plain?' + Math.random()).catch(() => {})`),
  '/blobs': script(
    'const kept = []; setInterval(() => { for (let at = 0; at < 20; at++) kept.push(new Blob([new Uint8Array(1 << 20).fill(at)])) }, 5)',
  ),
  '/buffers': script(`const kept = []; for (;;) kept.push(new Uint8Array(1 << 26).fill(1))`),
};

/** Takes a few seconds, as a page with slow data does, and is whole then. */
const patient = script(
  `setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<div id="website-has-loaded"></div>'), 4000)`,
);

for (const [at, path] of Object.keys(loud).entries()) {
  const register = at < 2 ? test : longTest(test);
  register(
    `T-62: a page of ${path.slice(1)} without end is ended, its neighbour is not, and nothing goes beyond its bound`,
    () =>
      withPages({ ...loud, '/patient': patient, '/plain': '<body>hello' }, ({ origin }) =>
        withRendering(
          async (rendering) => {
            const size = { width: 100, height: 60, allowedOrigin: origin, payload: {} };
            const render = (page: string) => rendering.renderPage({ ...size, sharer: [page], url: origin + page });
            const group = ownBrowser();
            const look = processesOfGroup(group);
            let most = 0;
            const watch = setInterval(() => {
              most = Math.max(
                most,
                look().reduce((sum, { mb }) => sum + mb, 0),
              );
            }, 50);
            try {
              const [ended, neighbour] = await Promise.all([render(path), render('/patient')]);
              assert.is(ended.ok, false);
              assert.match(ended.ok ? '' : ended.reason, /talks without end|used more memory|asked for more than 500/);
              assert.is(neighbour.ok, true, JSON.stringify(neighbour));
              assert.ok(most < defaultLimits.browserMb, `${most} MB`);
              assert.ok(process.memoryUsage.rss() < 700 * 1024 * 1024, `${process.memoryUsage.rss()} bytes`);
              assert.is((await render('/plain')).ok, true);
              assert.is(ownBrowser(), group, 'it is the same browser still');
            } finally {
              clearInterval(watch);
            }
          },
          { concurrency: 2 },
        ),
      ),
  );
}

test.run();
