/** Pages of recipes that come again: which of them start no browser, and what is kept of them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { drawRecipe, type RecipeDrawDeps } from '../../api/drawing/draw-recipe.ts';
import { drawnPages, isDrawnAlike } from '../../api/drawing/drawn-pages.ts';
import type { PaperSheet } from '../../api/drawing/paper-sheet.ts';
import { readSettingsFile } from '../../api/recipes/package/recipe-settings.ts';
import { panels } from '../../firmware-protocol/panels.ts';

const test = suite('pages of recipes that come again');

const sheet = (meta: object = {}, panel = panels.epd7): PaperSheet =>
  ({
    paper: { id: 'paper', organization_id: 'house' },
    meta,
    wanted: { panel, orientation: 'landscape', sharer: ['house'] },
    at: 0,
  }) as unknown as PaperSheet;

/** Draws pages of this markup, and counts how often the browser does. */
function drawing() {
  let pages = 0;
  let markup = '<p>One</p>';
  const deps = {
    rendering: {
      workOnRecipe: async () => ({ ok: true, done: { page: markup, remarks: [] } }),
      renderPage: async () => ({ ok: true, png: Buffer.alloc(0), warnings: [], remarks: [], page: pages++ }),
      preparePicture: async () => ({ file: Uint8Array.from([pages, 2, 3]) }),
    },
    readRecipe: async () => ({
      ok: true,
      known: { name: 'Mine', recipe: { settings: readSettingsFile('strategy: static'), views: { full: '' } } },
      values: {},
      data: '{}',
    }),
    missed: () => {},
    drawnPages: drawnPages(),
  } as unknown as RecipeDrawDeps;
  return {
    async draw(next: string, wanted = sheet()): Promise<readonly number[]> {
      markup = next;
      const drawn = await drawRecipe(deps, wanted);
      if (!drawn.ok) throw new Error('it was not drawn');
      return [...drawn.file];
    },
    pages: () => pages,
  };
}

test('a page that says the same again is drawn once', async () => {
  const { draw, pages } = drawing();
  assert.equal(await draw('<p>One</p>'), [1, 2, 3]);
  assert.equal(await draw('<p>One</p>'), [1, 2, 3]);
  assert.is(pages(), 1);
  assert.equal(await draw('<p>Two</p>'), [2, 2, 3]);
  assert.equal(await draw('<p>One</p>'), [1, 2, 3]);
  assert.is(pages(), 2);
});

test('another panel, or other settings of its paper, are another picture', async () => {
  const { draw, pages } = drawing();
  await draw('<p>One</p>');
  await draw('<p>One</p>', sheet({}, panels.gray10));
  await draw('<p>One</p>', sheet({ css: 'p { color: red }' }));
  await draw('<p>One</p>', sheet({ optimize: { contrast: 2 } }));
  assert.is(pages(), 4);
});

test('a page that brings something from outside is drawn each time', async () => {
  const { draw, pages } = drawing();
  for (const markup of ['<img src="https://a.example/b.png">', '<script>document.write(Date())</script>']) {
    await draw(markup);
    await draw(markup);
  }
  await draw('<p>One</p>', sheet({ css: 'p { background: url(https://a.example/b.png) }' }));
  await draw('<p>One</p>', sheet({ css: 'p { background: url(https://a.example/b.png) }' }));
  assert.is(pages(), 6);
});

test('what runs or loads is told from what does not', () => {
  for (const html of [
    '<SCRIPT>x</SCRIPT>',
    '<p onclick = "x">',
    '<svg><image href="a.png"/></svg>',
    '<style>@import "a.css"</style>',
    '<style>p { background: URL (a) }</style>',
    '<iframe srcdoc="x">',
    '<img srcset=a>',
    '<object data=a>',
  ])
    assert.is(isDrawnAlike(html), false, html);
  assert.ok(
    isDrawnAlike('<div class="layout" data-clamp="2"><svg viewBox="0 0 1 1"><path d="M0 0h1"/></svg> on time</div>'),
  );
});

test('the pictures that were kept longest ago are forgotten when there are many', () => {
  const pages = drawnPages();
  const noise = (seed: number): Uint8Array => {
    let state = seed;
    return Uint8Array.from({ length: 2 ** 20 }, () => {
      state = (state * 48_271) % 2_147_483_647;
      return state & 255;
    });
  };
  for (let page = 1; page <= 9; page++) pages.keep(page, { ok: true, file: noise(page) });
  assert.is(pages.find(1), undefined);
  assert.equal(pages.find(9)?.file, Buffer.from(noise(9)));
});

test.run();
