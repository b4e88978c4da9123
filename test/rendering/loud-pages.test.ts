/** Pages that fill every pipe and memory they can reach, beside a page that only takes its time (T-62, T-10). */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { defaultLimits } from '../../api/browser/pool-limits.ts';
import { mainProcess, processesOfGroup } from '../../api/browser/see-browser.ts';
import { wordsOf } from '../../reasons/words.ts';
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
  '/blob-addresses': always(`URL.createObjectURL(new Blob(['word']))`),
  '/graphics': script(`const kept = []; setInterval(() => {
    const graphics = new OffscreenCanvas(4000, 4000).getContext('webgl');
    graphics.bindBuffer(graphics.ARRAY_BUFFER, graphics.createBuffer());
    graphics.bufferData(graphics.ARRAY_BUFFER, new Uint8Array(2e7), graphics.STATIC_DRAW);
    graphics.clear(graphics.COLOR_BUFFER_BIT);
    kept.push(graphics);
  }, 0)`),
  '/frames': always(`const frame = document.createElement('iframe'); document.body.append(frame); frame.remove()`),
  '/buffers': script(`const kept = []; for (;;) kept.push(new Uint8Array(1 << 26).fill(1))`),
};

/** Draws fifty pictures, and shows each of them from a blob of its own. */
const album = script(`(async () => {
  const drawn = Object.assign(document.createElement('canvas'), { width: 800, height: 600 });
  const pen = drawn.getContext('2d');
  for (let at = 0; at < 50; at++) {
    const noise = pen.createImageData(800, 600);
    for (let byte = 0; byte < noise.data.length; byte += 3) noise.data[byte] = Math.random() * 256;
    pen.putImageData(noise, 0, 0);
    const picture = new Image();
    picture.src = URL.createObjectURL(await new Promise((made) => drawn.toBlob(made, 'image/jpeg')));
    await picture.decode();
    document.body.append(picture);
  }
  document.body.insertAdjacentHTML('beforeend', '<div id="website-has-loaded"></div>');
})()`);

/** Takes a few seconds, as a page with slow data does, and is whole then. */
const patient = script(
  `setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<div id="website-has-loaded"></div>'), 4000)`,
);

const isGone = (group: number): boolean => processesOfGroup(group)().length === 0;

for (const [at, path] of Object.keys(loud).entries()) {
  const register = at < 1 ? test : longTest(test);
  register(
    `T-62: a page of ${path.slice(1)} without end is ended, its neighbour is not, and nothing goes beyond its bound`,
    () =>
      withPages({ ...loud, '/patient': patient, '/plain': '<body>hello' }, ({ origin }) =>
        withRendering(
          async (rendering) => {
            const size = { width: 100, height: 60, allowedOrigin: origin, payload: {} };
            const render = (page: string, mustBeReady = false) =>
              rendering.renderPage({ ...size, mustBeReady, sharer: [page], url: origin + page });
            const group = ownBrowser();
            const look = processesOfGroup(group);
            let most = 0;
            let mostOfMain = 0;
            const { mb: idleMain } = mainProcess(look());
            const watch = setInterval(() => {
              const seen = look();
              most = Math.max(
                most,
                seen.reduce((sum, { mb }) => sum + mb, 0),
              );
              mostOfMain = Math.max(mostOfMain, mainProcess(seen).mb);
            }, 50);
            try {
              const [ended, neighbour] = await Promise.all([render(path, true), render('/patient')]);
              assert.is(ended.ok, false);
              const reason = ended.ok ? '' : wordsOf(ended.reason);
              // On a busy machine a page may be too loud to answer before it goes beyond its bound, or get too little time for it.
              const isMute = /stopped answering|not ready/.test(reason);
              assert.ok(
                isMute || /never stopped sending messages|used more memory|made more than 500/.test(reason),
                reason,
              );
              assert.is(neighbour.ok, true, JSON.stringify(neighbour));
              assert.ok(most < defaultLimits.browserMb, `${most} MB`);
              if (path === '/blob-addresses')
                assert.ok(mostOfMain - idleMain < 64, `${idleMain}, then ${mostOfMain} MB`);
              assert.ok(process.memoryUsage.rss() < 700 * 1024 * 1024, `${process.memoryUsage.rss()} bytes`);
              assert.is((await render('/plain')).ok, true);
              // A browser that lost its process for graphics gets no further visit.
              assert.ok(isMute || isGone(group) === (path === '/graphics'), 'it is the same browser still');
            } finally {
              clearInterval(watch);
            }
          },
          { concurrency: 2 },
        ),
      ),
  );
}

longTest(test)('T-62: pages that show fifty pictures from blobs are not a flood, also two at once', () =>
  withPages({ '/album': album }, ({ origin }) =>
    withRendering(
      async (rendering) => {
        const size = { width: 400, height: 300, allowedOrigin: origin, payload: {}, mustBeReady: true };
        const render = (whose: string) => rendering.renderPage({ ...size, sharer: [whose], url: `${origin}/album` });
        for (const drawn of await Promise.all([render('one'), render('other')])) {
          assert.is(drawn.ok ? 'drawn' : drawn.reason, 'drawn');
        }
      },
      { concurrency: 2 },
    ),
  ),
);

test.run();
