/** Markup of recipes as elements of typeset pages, and which recipes are typeset. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { PageElement } from '../../api/pages/element.ts';
import { isTypeset } from '../../api/recipes/is-typeset.ts';
import { ownRecipes } from '../../api/recipes/own-recipes.ts';
import { recipeOfFiles } from '../../api/recipes/package/recipe-files.ts';
import { readMarkup } from '../../api/recipes/screen/read-markup.ts';
import { typesetCss } from '../../api/recipes/screen/typeset-css.ts';

const test = suite('markup of typeset recipes');

const read = (markup: string, density = 1) => readMarkup(markup, density);
const first = (markup: string, density = 1): PageElement => read(markup, density).children[0] as PageElement;

test('elements keep their classes, their look and their words', () => {
  assert.equal(
    read('<div class="a b" style="gap: 8px; min-width: 0">\n  Fish &amp; chips&#8201;<span>now</span></div>').children,
    [
      {
        tag: 'div',
        class: 'a b',
        style: { gap: '8px', minWidth: '0' },
        children: [' Fish & chips\u2009', { tag: 'span', style: {}, children: ['now'] }],
      },
    ],
  );
});

test('an element without words is empty, whatever space its template leaves in it', () => {
  assert.equal(first('<div>\n  </div>').children, []);
  assert.equal(first('<p>a <span>b</span></p>').children, ['a ', { tag: 'span', style: {}, children: ['b'] }]);
});

test('rules are gathered, and comments are left out', () => {
  const { children, css } = read('<style>.a { gap: 1px; }</style><!-- no --><style>.b > .c { gap: 0; }</style>');
  assert.equal(children, []);
  assert.is(css, '.a { gap: 1px; }\n.b > .c { gap: 0; }');
});

test('lengths are pixels of the panel, and lines have whole ones', () => {
  assert.equal(first('<p style="width: 40px; border: 1px solid; top: calc(50% - 8px)">', 2.5).style, {
    width: '100px',
    border: '2px solid',
    top: 'calc(50% - 20px)',
  });
  const css = '.a{border-top:1px solid;border-radius:10px;--line-soft:1px dotted #000}.b:last-child{margin:-4px .5px}';
  assert.is(
    typesetCss(css, 0.75),
    '.a{border-top:1px solid;border-radius:7.5px;--line-soft:1px dotted #000}.b:last-child{margin:-3px 0.375px}',
  );
  assert.is(typesetCss('.a{border:0px}.b{flex: none}', 2), '.a{border:0px}.b{flex:0 0 auto}');
});

test('a clamped text ends after its lines', () => {
  assert.equal(first('<span data-clamp="2" style="min-width: 0">x</span>').style, {
    minWidth: '0',
    display: '-webkit-box',
    WebkitBoxOrient: 'vertical',
    WebkitLineClamp: 2,
    overflow: 'hidden',
    maxWidth: '100%',
    overflowWrap: 'anywhere',
  });
  assert.equal(first('<span data-clamp="">x</span>').style, {});
});

test('a drawing is a picture of its own, with the colours that stand for those of the page', () => {
  const drawing = first(
    '<svg class="image" viewBox="0 0 4 4" width="28" style="top: -15px" fill="none"><path d="M0 0h4" fill="var(--white, #fff)"/></svg>',
    2,
  );
  assert.equal(drawing, {
    tag: 'svg',
    class: 'image',
    style: { width: '56px', top: '-30px' },
    svg: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 4" fill="none"><path d="M0 0h4" fill="#fff"/></svg>',
    children: [],
  });
});

test('of a text of a million letters so much is read as a screen may show', () => {
  const [text = ''] = first(`<p>${'long '.repeat(200_000)}</p>`).children;
  assert.is((text as string).length, 3_000);
});

test('all recipes that come along are typeset', async () => {
  const own = [...(await ownRecipes()).values()];
  assert.is(own.length, 13);
  assert.equal(
    own.filter((known) => known.isTypeset !== true).map(({ id }) => id),
    [],
  );
});

test('a recipe of others is drawn by the browser, and so is one whose markup needs it', () => {
  const recipe = (full: string) =>
    recipeOfFiles(
      new Map([
        ['settings.yml', 'name: One\nstrategy: static'],
        ['full.liquid', full],
      ]),
    );
  const plain = recipe('<div class="layout" data-clamp="1">{% if a < 3 %}One{% endif %}</div>');
  assert.ok(isTypeset('own', plain));
  for (const kind of ['archive', 'repository', 'catalogue', 'written'] as const) assert.not.ok(isTypeset(kind, plain));
  for (const markup of [
    '<script>1</script>',
    '<img src="a.png">',
    '<canvas></canvas>',
    '<svg><image href="a.png"/></svg>',
    '<svg><use href="#a"/></svg>',
    '<div data-overflow="true"></div>',
    '<span data-value-fit="true">1</span>',
    '<div onclick="x()"></div>',
    '<div style="background: url(a.png)"></div>',
    '<style>@import "a.css";</style>',
    '{{ text | markdown_to_html }}',
    '{{ text | qr_code }}',
  ])
    assert.not.ok(isTypeset('own', recipe(markup)), markup);
});

test.run();
