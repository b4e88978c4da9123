/** Letters of websites and of integrations' pages that no font has, in a real browser. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'puppeteer';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { machineFaces } from '../../api/fonts/machine-fonts.ts';
import { textPage } from '../../api/pages/text-page.ts';
import { findMissing } from '../../api/rendering/missing-of-page.ts';
import { wordsOf } from '../../reasons/words.ts';
import type { Clock } from '../../runtime/clock.ts';
import { fontFolders } from '../../runtime/font-folders.ts';
import { longTest } from '../some-times.ts';
import { drawnPage } from './drawn-page.ts';
import { loadingMarker, sharer, withPages, withRendering } from './render-world.ts';

const test = suite('letters of pages');

/** Letters of a script that hardly a machine has a font for, and of some that many have. */
const rare = '\u{18b00}\u{18b01}';
const letters = `${rare}日本語हिन्दी😀`;
/** Our own font has this one; most of the machine's are older than it. */
const newer = '\u20bf';
const file = createRequire(import.meta.url).resolve(
  '@fontsource-variable/inter/files/inter-latin-ext-wght-normal.woff2',
);
const ownFont = `@font-face { font-family: Own; src: url(data:font/woff2;base64,${readFileSync(file).toString('base64')}) }`;
const hides = ['display: none', 'visibility: hidden', 'opacity: 0', 'position: absolute; top: 3000px'];
const forEars = 'position: absolute; width: 1px; height: 1px; overflow: hidden; white-space: nowrap';

const pages = {
  '/seen': `<body><p>Letters: ${letters}</p>`,
  '/in-shadow': `<body><div></div><script>
    document.querySelector('div').attachShadow({ mode: 'open' }).innerHTML = '<p>words</p>${letters}'</script>`,
  '/integration': `<body>${loadingMarker}<p>${letters}</p><div id="website-has-loaded"></div>`,
  '/hidden': `<body>words “and” marks – …${[...hides, forEars].map((css) => `<p style="${css}">${letters}</p>`)}
    <script>const letters = '${letters}'</script>`,
  '/own-font': `<style>${ownFont} p { font: 20px Own }</style><body><p>${newer}</p>`,
  '/own-sans': `<style>${ownFont.replace('Own', '"sans-serif"')} p { font: 20px "sans-serif" }</style><body><p>${newer}</p>`,
  '/no-font': `<body><p>${newer}</p>`,
  // Code that looked in the page's own world would never return, or be deceived.
  '/overridden': `<body>${letters}<script>
    const never = () => { for (;;); };
    Document.prototype.createTreeWalker = CanvasRenderingContext2D.prototype.fillText = Range.prototype.setStart = never;
    OffscreenCanvasRenderingContext2D.prototype.fillText = String.prototype.match = CharacterData.prototype.substringData = never;
    Element.prototype.checkVisibility = Map.prototype.get = Set.prototype.has = never;
    OffscreenCanvas = TreeWalker = Range = Map = Set = undefined;
    Object.defineProperty(performance, 'now', { value: () => 0 });</script>`,
  '/endless': `<body>${letters}<pre></pre><script>
    document.querySelector('pre').textContent = '${letters} and more\\n'.repeat(1000)</script>`,
  '/fonts': `<body>${Array.from({ length: 300 }, (_, at) => `<i style="font-family: f${at}">${letters}</i>`).join('')}`,
};

const sorted = (text: string): string => Array.from(text).sort().join('');

async function withSites(
  run: (missingAt: (path: string) => Promise<string | undefined>) => Promise<void>,
): Promise<void> {
  await withPages(pages, ({ origin }) =>
    withRendering(async (rendering) => {
      const missingAt = async (path: string): Promise<string | undefined> => {
        const size = { sharer, width: 400, height: 300, allowedOrigin: origin };
        const payload = path === '/integration' ? {} : undefined;
        const drawn = await rendering.renderPage({ ...size, url: origin + path, payload });
        if (!drawn.ok) throw new Error(`${path}: ${wordsOf(drawn.reason)}`);
        if (drawn.missing === undefined) assert.is(drawn.remarks, undefined);
        else
          assert.match(
            wordsOf(drawn.remarks ?? []),
            `No installed font has ${Array.from(drawn.missing).slice(0, 10).join(' ')}`,
          );
        return drawn.missing === undefined ? undefined : sorted(drawn.missing);
      };
      await run(missingAt);
    }),
  );
}

/** The letters that no font of this machine has; our own fonts may have them. */
function lacking(text: string): string {
  const faces = machineFaces(fontFolders());
  const has = (letter: string): boolean => faces.some(({ coverage }) => coverage.has(letter.codePointAt(0) ?? 0));
  return sorted(
    Array.from(text)
      .filter((letter) => !has(letter))
      .join(''),
  );
}

/** The letters that a document of our own misses on this machine. */
async function missingHere(text: string): Promise<string> {
  const frame = { width: 400, height: 300, language: 'en', colours: [] };
  return sorted((await drawnPage(textPage(frame, { title: undefined, text, footer: undefined }))).missing);
}

longTest(test)(
  'R-24: characters without a font on websites and on integrations’ pages are found, as in our own documents',
  () =>
    withSites(async (missingAt) => {
      const here = await missingHere(letters);
      for (const letter of rare) assert.ok(here.includes(letter), 'this machine has a font for every script');
      for (const path of ['/seen', '/in-shadow', '/integration']) assert.is(await missingAt(path), here, path);
      assert.is(await missingAt('/hidden'), undefined, 'nobody sees them');
      // What a page's font has, whatever the page calls it, is not taken for what this machine has.
      assert.is(await missingAt('/own-sans'), undefined);
      assert.is((await missingAt('/no-font')) ?? '', lacking(newer));
      assert.is(await missingAt('/seen'), here, 'and again, with what is known by now');
      assert.is(await missingAt('/own-font'), undefined, 'the page brings the font');
    }),
);

longTest(test)(
  'R-24: a page that replaces what it can, or has text or fonts without end, neither hides its characters nor takes long',
  () =>
    withSites(async (missingAt) => {
      assert.is(await missingAt('/overridden'), await missingHere(letters));
      // How much is found depends on the machine; that there is a picture does not.
      for (const path of ['/endless', '/fonts']) await missingAt(path);
    }),
);

test('R-24: nothing waits for a page that no longer answers', async () => {
  const waits: number[] = [];
  const clock: Clock = {
    now: () => 0,
    after(delayMs, run) {
      waits.push(delayMs);
      run();
      return { cancel() {} };
    },
  };
  const silent = { createCDPSession: () => new Promise(() => {}) } as unknown as Page;
  assert.is(await findMissing(clock)(silent).missing(), '');
  assert.equal(waits, [750]);
  const gone = { createCDPSession: () => Promise.reject(new Error('Target closed')) } as unknown as Page;
  assert.is(await findMissing(clock)(gone).missing(), '');
});

test.run();
