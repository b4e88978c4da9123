/** Websites that come late: what is waited for, for how long, and the report on a page that never finishes. */
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { RenderOptions } from '../../api/rendering/render-page.ts';
import type { Rendering } from '../../api/rendering/rendering.ts';
import { wordsOf } from '../../reasons/words.ts';
import { longTest } from '../some-times.ts';
import { colourAt, type Page, sharer, withPages, withRendering } from './render-world.ts';

const test = suite('late pages');

const article = `<p>${'Words of an article that somebody reads, and more of them. '.repeat(5)}</p>`;
const fill = `document.body.innerHTML = '<div style="position: absolute; inset: 0; background: #000"></div>'`;
const page = (body: string): string =>
  `<!doctype html><meta charset="utf-8"><style>body { margin: 0; background: #fff }</style><body>${body}`;
const after =
  (ms: number): Page =>
  (_, response) => {
    setTimeout(() => response.end('late'), ms);
  };

const pages: Record<string, Page> = {
  '/slow': after(6_500),
  '/held': (_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.flushHeaders();
  },
  '/by-request': page(
    `<p>Loading</p><script>fetch('/slow').then((come) => come.text()).then(() => { ${fill} })</script>`,
  ),
  '/by-request-without-a-word': page(
    `${article}<script>fetch('/slow').then((come) => come.text()).then(() => { ${fill} })</script>`,
  ),
  '/by-timer': page(`<p>Daten werden geladen …</p><script>setTimeout(() => { ${fill} }, 6500)</script>`),
  '/by-timer-from-nothing': page(`<main></main><script>setTimeout(() => { ${fill} }, 6500)</script>`),
  '/by-timer-beside-words': page(`${article}<script>setTimeout(() => { ${fill} }, 3000)</script>`),
  '/by-rounds': page(`<p>Bitte warten</p><script>let round = 0;
    const go = () => { if (++round > 60) { ${fill} } else setTimeout(go, 100) }; go()</script>`),
  '/by-frames': page(`<p>Please wait...</p><script>const begun = performance.now();
    const go = () => { if (performance.now() - begun > 6000) { ${fill} } else requestAnimationFrame(go) }; go()</script>`),
  '/in-a-shadow': page(`<x-card></x-card><script>
    const tree = document.querySelector('x-card').attachShadow({ mode: 'closed' });
    tree.innerHTML = '<p>Loading...</p>';
    setTimeout(() => { tree.innerHTML = '<div style="position: absolute; inset: 0; background: #000"></div>' }, 6000)</script>`),
  '/skeleton': page(`${article}<div class="card-skeleton" style="height: 80px; background: #ddd"></div>
    <script>setTimeout(() => { ${fill} }, 6500)</script>`),
  '/fades-in': page(`<style>@keyframes come { from { opacity: 0 } } div { animation: come 1.5s both }</style>
    <div><div style="position: absolute; inset: 0; background: #000"></div></div>`),
  '/says-loading': page(`<p>Loading</p>${article}`),
  '/loads-for-ever': page(`<p>Loading</p><script>setInterval(() => {}, 500)</script>`),
  '/ticker': page(`${article}<b></b><script>
    setInterval(() => { document.querySelector('b').textContent = Math.random() }, 100)</script>`),
  '/held-open': page(`${article}<script>fetch('/held').then((come) => come.text())</script>`),
  '/two-parts': page(`<div style="height: 2000px; background: #f00">Above</div>
    <div id="part" style="width: 200px; height: 100px; background: #00f">Part</div>
    <header style="position: fixed; inset: 0 0 auto; height: 60px; background: #f00">Menu</header>`),
  '/behind-a-click': page(`${article}<button id="show">Show</button><script>
    document.querySelector('#show').onclick = () => setTimeout(() => { ${fill} }, 800)</script>`),
  '/comes': page(`${article}<script>setTimeout(() => {
    document.body.insertAdjacentHTML('beforeend', '<i id="come"></i>'); document.body.style.background = '#000' }, 7000)</script>`),
  '/many': page(`<p>Words</p>${'<i></i>'.repeat(100_000)}`),
};

type Site = (path: string, more?: Partial<RenderOptions>) => ReturnType<Rendering['renderPage']>;

const withSites = (run: (render: Site) => Promise<void>): Promise<void> =>
  withPages(pages, ({ origin }) =>
    withRendering((rendering) =>
      run((path, more = {}) => {
        const options = { sharer, url: origin + path, width: 400, height: 240, allowedOrigin: origin, ...more };
        return rendering.renderPage(options);
      }),
    ),
  );

/** The colour of the middle of the picture, and the codes of its problems, or the reason why there is none. */
async function lookAt(rendered: ReturnType<Site>): Promise<string> {
  const page = await rendered;
  if (!page.ok) return wordsOf(page.reason);
  return [await colourAt(page.png, 390, 230), ...(page.remarks ?? []).map(({ code }) => code)].join(' ');
}

longTest(test)('R-37: content that comes late is waited for, by a request or by a timer', () =>
  withSites(async (render) => {
    const late = ['/by-request', '/by-timer'];
    for (const found of await Promise.all(late.map((path) => lookAt(render(path))))) assert.is(found, '000000');
    const begun = performance.now();
    assert.is(await lookAt(render('/says-loading')), 'ffffff', 'where nothing is left to come, a word is a word');
    assert.ok(performance.now() - begun < 8_000, 'and nobody waits for it');
  }),
);

longTest(test)('R-37: … whatever the page shows meanwhile, and however it counts the time', () =>
  withSites(async (render) => {
    const late = ['/by-request-without-a-word', '/by-timer-from-nothing', '/by-timer-beside-words', '/by-rounds'];
    const all = [...late, '/by-frames', '/in-a-shadow', '/skeleton', '/fades-in'];
    const found = await Promise.all(all.map(async (path) => `${path} ${await lookAt(render(path))}`));
    assert.equal(
      found,
      all.map((path) => `${path} 000000`),
    );
  }),
);

longTest(test)('R-37: a page that comes to no end is taken as it is, and that is reported', () =>
  withSites(async (render) => {
    // An answer that is held open is none of that.
    const all = ['/loads-for-ever', '/ticker', '/held-open'];
    const found = await Promise.all(all.map((path) => lookAt(render(path))));
    assert.equal(found, ['ffffff page-still-loading', 'ffffff page-still-moving', 'ffffff']);
  }),
);

longTest(test)('R-38: one element is photographed alone, as large as it fits, with nothing over it', () =>
  withSites(async (render) => {
    const cut = await render('/two-parts', { cutOut: '#part' });
    assert.ok(cut.ok);
    const { width, height } = await sharp(cut.png).metadata();
    assert.equal([width, height], [400, 240]);
    assert.is(await colourAt(cut.png, 20, 200), '0000ff', 'it is twice as large');
    assert.is(
      await lookAt(render('/two-parts', { cutOut: '#part' })),
      '0000ff',
      'and what is beside it has its colour',
    );
    assert.is(await lookAt(render('/two-parts', { cutOut: 'p[' })), '"p[" is not a CSS selector.');
  }),
);

longTest(test)('R-38: elements are waited for and clicked on; what is not there is reported', () =>
  withSites(async (render) => {
    const found = await Promise.all([
      lookAt(render('/comes', { waitFor: '#come' })),
      lookAt(render('/says-loading', { cutOut: '#none' })),
      lookAt(render('/behind-a-click', { clickFirst: '#show' })),
      lookAt(render('/says-loading', { clickFirst: '#none' })),
    ]);
    assert.equal(found, ['000000', '"#none" did not appear on the page.', '000000', 'ffffff page-click-lacks']);
  }),
);

longTest(test)('R-38: a selector that runs for ever ends its page, and the next one is drawn', () =>
  withSites(async (render) => {
    // For each element, everything that follows it is looked at: Chromium 156 takes half a minute for it, former ones for ever.
    const endless = 'i:has(~ i ~ i ~ i ~ i ~ b)';
    const begun = performance.now();
    const said = await lookAt(render('/many', { waitFor: endless }));
    assert.match(said, /^Looking for ".*" on the page took too long\.$/);
    assert.ok(performance.now() - begun < 45_000);
    assert.is(await lookAt(render('/says-loading')), 'ffffff');
  }),
);

test.run();
