/** Pages of recipes in a browser: what their script fits, cuts and formats, and that they report when they are ready. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Layout } from '../../api/recipes/package/recipe.ts';
import { screenFile } from '../../api/recipes/screen/screen-files.ts';
import { screenOrigin, screenPage } from '../../api/recipes/screen/screen-page.ts';
import type { RenderedPage } from '../../api/rendering/render-page.ts';
import type { Rendering } from '../../api/rendering/rendering.ts';
import { rotateToView, unpackPicture } from '../../firmware-protocol/framebuffer.ts';
import { type Panel, panelOfKind, viewSize } from '../../firmware-protocol/panels.ts';
import { wordsOf } from '../../reasons/words.ts';
import { type Page, sharer, withPages, withRendering } from '../rendering/render-world.ts';

const test = suite('pages of recipes in a browser');

const named = (name: string): Panel => panelOfKind(name) as Panel;

/** A page of a recipe, and what has to be true in it once it is ready, in JavaScript. */
interface Shown {
  readonly markup: string;
  readonly truths?: readonly string[];
  readonly panel?: string;
  readonly layout?: Layout;
}

/** Answers a file of the page here, where nothing has the name of its origin. */
const answer =
  (path: string): Page =>
  async (_request, response) => {
    const file = await screenFile(`${screenOrigin}${path}`);
    const body = typeof file?.body === 'string' ? file.body.replaceAll(screenOrigin, '') : file?.body;
    response.writeHead(200, { 'content-type': file?.contentType ?? 'text/plain' }).end(body);
  };

const files: Readonly<Record<string, Page>> = Object.fromEntries(
  ['/screen.css', '/screen.js', '/fonts/inter-latin.woff2'].map((path) => [path, answer(path)]),
);

/** Reports the truths that do not hold as the page's error, before anybody sees that it is ready. */
const judge = (truths: readonly string[]): string => `<script>
new MutationObserver(() => {
  if (document.querySelector('#website-has-loaded') === null) return;
  const one = (selector) => document.querySelector(selector);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const seen = (selector) => all(selector).filter((element) => element.checkVisibility());
  const wrong = ${JSON.stringify(truths)}.filter((truth) => !new Function('one', 'all', 'seen', 'return ' + truth)(one, all, seen));
  if (wrong.length === 0) return;
  document.documentElement.setAttribute('data-paperless-render-error', wrong.join(' / '));
  document.documentElement.setAttribute('data-paperless-render-status', 'error');
}).observe(document, { childList: true, subtree: true });
</script>`;

async function show(rendering: Rendering, { markup, truths = [], panel = 'epd7', layout = 'full' }: Shown) {
  const { colours, ...shown } = named(panel);
  const view = viewSize({ ...shown, colours }, panel === 'openpaper13' ? 'portrait' : 'landscape');
  const page = screenPage({
    markup: `${markup}${judge(truths)}`,
    layout,
    ...view,
    colours,
    language: 'en',
    isDark: false,
    isWithoutPadding: false,
  });
  return withPages({ ...files, '/': page }, ({ origin }) =>
    rendering.renderPage({ sharer, url: `${origin}/`, payload: {}, ...view, allowedOrigin: origin }),
  );
}

const problemOf = (shown: RenderedPage): string => (shown.ok ? '' : wordsOf(shown.reason));

const item = (words: string): string =>
  `<div class="item"><div class="meta"></div><div class="content"><span class="title">${words}</span></div></div>`;
const items = (count: number): string => Array.from({ length: count }, (_, at) => item(`Number ${at + 1}`)).join('');
const bar = '<div class="title_bar"><span class="title">A bar</span></div>';
const text = 'Words that go on and on until nobody reads them any more. ';

test('pages are fitted as they ask for it', async () => {
  await withRendering(async (rendering) => {
    const pages: Readonly<Record<string, Shown>> = {
      'a list takes the columns that it needs, and says how many parts have no room': {
        markup: `<div class="layout"><div class="columns" data-overflow-max-cols="2" data-overflow-counter="true">
          <div class="column">${items(60)}</div></div></div>${bar}`,
        truths: [
          'all(".column").length === 2',
          'one(".columns").scrollHeight <= one(".layout").clientHeight + 2',
          'seen(".item .title").length > 16',
          '"and " + (60 - seen(".item .title").length) + " more" === one("[data-overflow-label]").textContent',
          'one(".title_bar").getBoundingClientRect().bottom < innerHeight',
        ],
      },
      'a list that fits into one column has one': {
        markup: `<div class="layout"><div class="columns" data-overflow-max-cols="3"><div class="column">${items(3)}</div></div></div>`,
        truths: ['all(".column").length === 1', 'seen(".item").length === 3'],
      },
      'a list of one column ends where the room does': {
        markup: `<div class="layout layout--col" data-list-limit="true" data-list-hidden-count="true">${items(50)}</div>${bar}`,
        truths: ['one(".layout").scrollHeight <= one(".layout").clientHeight', 'one("[data-overflow-label]") !== null'],
      },
      'a grid ends where its rows have no room, and what stands beside each other counts once': {
        markup: `<div class="layout layout--col"><div class="grid grid--cols-4" data-overflow="true" data-overflow-counter="true">
          ${items(24)}</div></div>${bar}`,
        truths: ['seen(".item .title").length === 24', 'one("[data-overflow-label]") === null'],
      },
      'a text has as many lines as it may': {
        markup: `<div class="layout"><p data-clamp="2" data-clamp-lg="5">${text.repeat(30)}</p><i class="clamp--1">${text.repeat(9)}</i></div>`,
        truths: ['one("p").clientHeight < 50', 'one("i").clientHeight < 30'],
      },
      'a value is as large as its place': {
        markup: `<div class="layout"><div class="w--40"><span class="value value--mega" data-value-fit="true">1,234,567</span></div>
          <div class="w--40"><b class="value value--giga" data-value-fit="true" data-value-fit-max-height="90">So many words in here</b></div></div>`,
        truths: [
          'one("span").scrollWidth <= 160 && parseFloat(getComputedStyle(one("span")).fontSize) > 25',
          'one("b").offsetHeight <= 90 && one("b").scrollWidth <= 160',
        ],
      },
      'a number is written out where it fits, else shortened': {
        markup: `<div class="layout"><span class="value" data-value-format="true">$2345678</span>
          <b class="value value--small" data-value-type="number" data-value-locale="de-DE">2345.5</b>
          <div class="w--20"><u class="value" data-value-format="true">2345678</u></div></div>`,
        truths: [
          'one("span").textContent === "$2,345,678"',
          'one("b").textContent === "2.345,5"',
          '/^2[.\\\\d]*M$/.test(one("u").textContent)',
        ],
      },
      'a table shows the rows that have room': {
        markup: `<div class="layout"><table class="table" data-table-limit="true"><tbody>${'<tr><td>A row</td></tr>'.repeat(40)}</tbody></table></div>${bar}`,
        truths: [
          'one("table").offsetHeight <= one(".layout").clientHeight',
          '"and " + (41 - seen("tr").length) + " more" === one("tr:last-child").textContent',
        ],
      },
      'a running text gets smaller, then ends': {
        markup: `<div class="layout"><div class="richtext"><div class="content content--large" data-content-limiter="true">
          <p>${text.repeat(20)}</p><p>${text.repeat(20)}</p><p>${text.repeat(20)}</p></div></div></div>${bar}`,
        truths: [
          'one(".content").classList.contains("content--small")',
          'one(".content").scrollHeight <= one(".layout").clientHeight + 2',
        ],
      },
      "scripts that ask for the framework's libraries go on": {
        markup: `<div class="layout"><p>Words</p></div><script>
          const chart = TRMNLCharts.line('a', {}).update(1);
          window.width = TRMNLPaint.px(20) + (TRMNLPaint.bg('gray-30', { el: 'a' }).length === 7 ? 1 : 0);
          TRMNLMaps.attach({}).then?.(() => {});
          document.querySelector('p').id = 'reached';
        </script>`,
        truths: ['one("#reached") !== null', 'window.width === 21', 'window.TRMNL_PLUGINS_READY === true'],
      },
      'the second script of the framework does nothing again': {
        markup: '<div class="layout"><p>Words</p></div><script src="/screen.js"></script>',
        truths: ['all("#website-has-loaded").length === 1'],
      },
    };
    for (const [title, shown] of Object.entries(pages)) {
      for (const panel of ['epd7', 'openpaper13']) {
        assert.is(problemOf(await show(rendering, { ...shown, panel })), '', `${title} (${panel})`);
      }
    }
  });
});

test('a recipe that asks to keep the last picture makes none', async () => {
  await withRendering(async (rendering) => {
    const markup = '<script>window.TRMNL_SKIP_SCREEN_GENERATION = true;</script><div class="layout">Nothing</div>';
    assert.match(problemOf(await show(rendering, { markup })), /keep the last picture/);
  });
});

test('colours are inks, and shades patterns of inks in pixels of the panel', async () => {
  await withRendering(async (rendering) => {
    const markup = `<div class="layout layout--col"><div class="bg--red w--40 h--20"></div>
      <div class="bg--gray-70 w--40 h--20"></div><div class="bg--blue-60 w--40 h--20"></div></div>`;
    for (const kind of ['epd7', 'openpaper13']) {
      const panel = named(kind);
      const orientation = kind === 'epd7' ? 'landscape' : 'portrait';
      const shot = await show(rendering, { markup, panel: kind });
      assert.ok(shot.ok);
      const { file } = await rendering.preparePicture(shot.png, { sharer, panel, orientation, fit: 'contain' });
      const places = rotateToView(panel, orientation, unpackPicture(panel, file) as Uint8Array);
      const inkOf = (name: string): number => panel.colours.findIndex((colour) => colour.name === name);
      const count = (name: string): number => places.reduce((sum, place) => sum + (place === inkOf(name) ? 1 : 0), 0);
      const area = 160 * 80 * (kind === 'epd7' ? 1 : 4);
      assert.is(count('red'), area, kind);
      // A shade of 13 of 16 and one of 4 of 8 white pixels.
      assert.is(count('black'), (area * 2) / 16, kind);
      assert.is(count('blue'), area / 2, kind);
    }
  });
});

test.run();
