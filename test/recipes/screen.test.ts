/** Pages of recipes: what stands around their markup, what it is drawn on, and the files that it finds. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Layout } from '../../api/recipes/package/recipe.ts';
import { mixPaints } from '../../api/recipes/screen/paints.ts';
import { screenFile, screenPatterns } from '../../api/recipes/screen/screen-files.ts';
import { screenAddress, screenOrigin, screenPage } from '../../api/recipes/screen/screen-page.ts';
import { screenShape } from '../../api/recipes/screen/screen-shape.ts';
import { epd13, type Panel, panelOfKind, panels, viewSize } from '../../firmware-protocol/panels.ts';

const test = suite('pages of recipes');

const named = (name: string): Panel => panelOfKind(name) as Panel;
const seven = named('epd7');
const thirteen = { ...viewSize(epd13, 'portrait'), colours: epd13.colours };

function page(markup: string, changed: Partial<Parameters<typeof screenPage>[0]> = {}): string {
  return screenPage({
    markup,
    layout: 'full',
    width: 800,
    height: 480,
    colours: seven.colours,
    language: 'en',
    isDark: false,
    isWithoutPadding: false,
    ...changed,
  });
}

/** Returns how often an element with a class stands in a page. */
const countOf = (html: string, name: string): number =>
  [...html.slice(html.indexOf('<body')).matchAll(/class="([^"]*)"/g)].filter(([, names = '']) =>
    names.split(' ').includes(name),
  ).length;

const classesOf = (html: string): readonly string[] => /<div class="(screen [^"]*)"/.exec(html)?.[1]?.split(' ') ?? [];

test('markup stands in the view of its layout, on a screen, in the environment', () => {
  const html = page('<div class="layout">Hello</div>');
  assert.ok(html.includes('<body class="environment trmnl">'));
  assert.match(
    html,
    /<div class="screen [^>]*><div class="view view--full"><div class="layout">Hello<\/div><\/div><\/div>/,
  );
  assert.is(countOf(html, 'mashup'), 0);
});

test('markup with a view of its own is put into no second one', () => {
  for (const own of ['<div class="view view--full">Hello</div>', "<section id='a' class='wide view'>Hello</section>"]) {
    const html = page(own);
    assert.is(html.match(/\bview\b(?!-)/g)?.length, own.match(/\bview\b(?!-)/g)?.length, own);
    assert.ok(html.includes(`>${own}</div></body>`), own);
  }
  // These only look like it.
  for (const other of [
    '<svg viewBox="0 0 1 1"></svg>',
    '<p class="preview">',
    '<p class="view--other">',
    'class="view"',
  ])
    assert.ok(page(other).includes(`<div class="view view--full">${other}</div>`), other);
});

test('markup with a screen of its own gets the classes and measures of the panel', () => {
  const html = page('<div class="screen screen--og"><div class="view view--full">Hello</div></div>', thirteen);
  assert.is(countOf(html, 'screen'), 1);
  assert.is(countOf(html, 'view'), 1);
  assert.ok(classesOf(html).includes('screen--portrait'));
  assert.ok(html.includes(':root{--screen-w:600px;--screen-h:800px;--density:2;'));
});

test('the page of a part of a screen is drawn like the whole', () => {
  const parts: readonly (readonly [Layout, number, number, string])[] = [
    ['half_vertical', 400, 480, 'mashup--1Lx1R'],
    ['half_horizontal', 800, 240, 'mashup--1Tx1B'],
    ['quadrant', 400, 240, 'mashup--2x2'],
  ];
  for (const [layout, width, height, arrangement] of parts) {
    const html = page('Hello', { layout, width, height });
    assert.match(
      html,
      new RegExp(`<div class="mashup ${arrangement}"><div class="view view--${layout}">Hello</div></div>`),
    );
    assert.ok(classesOf(html).includes('screen--md') && !classesOf(html).includes('screen--portrait'), layout);
    assert.ok(html.includes(`--screen-w:${width}px;--screen-h:${height}px;--density:1;`), layout);
  }
  assert.is(screenShape({ width: 600, height: 800, layout: 'quadrant', colours: epd13.colours }).density, 2);
});

test('a recipe knows each panel by its size, its inks and the way it hangs', () => {
  const shown = (name: string, orientation: 'portrait' | 'landscape'): string => {
    const panel = named(name);
    const shape = screenShape({ ...viewSize(panel, orientation), layout: 'full', colours: panel.colours });
    return `${Math.round(shape.width)}x${Math.round(shape.height)} ${shape.classes.slice(1).join(' ')}`;
  };
  assert.equal(
    [
      shown('epd7', 'landscape'),
      shown('epd7', 'portrait'),
      shown('openpaper13', 'portrait'),
      shown('openpaper13', 'landscape'),
      shown('trmnl2', 'landscape'),
      shown('trmnl4', 'landscape'),
      shown('trmnlx', 'landscape'),
      shown('gray10', 'portrait'),
      shown('bwr7', 'landscape'),
      shown('bwry7', 'landscape'),
      shown('acep5', 'landscape'),
      shown('crowpanel42', 'landscape'),
    ],
    [
      '800x480 screen--ogv2 screen--color-6a screen--md',
      '480x800 screen--ogv2 screen--color-6a screen--md screen--portrait',
      '600x800 screen--ogv2 screen--color-6a screen--md screen--density-2x screen--portrait',
      '800x600 screen--ogv2 screen--color-6a screen--md screen--density-2x',
      '800x480 screen--og screen--1bit screen--md',
      '800x480 screen--ogv2 screen--2bit screen--md',
      '1040x780 screen--v2 screen--4bit screen--lg screen--density-2x',
      '780x1040 screen--v2 screen--4bit screen--lg screen--density-2x screen--portrait',
      '800x480 screen--ogv2 screen--color-3bwr screen--md',
      '800x480 screen--ogv2 screen--color-4bwry screen--md',
      '800x597 screen--ogv2 screen--color-7a screen--md',
      '533x400 screen--ogv2 screen--2bit screen--sm',
    ],
  );
});

test('the screen of a recipe fills every panel', () => {
  for (const panel of Object.values(panels)) {
    const view = viewSize(panel, 'landscape');
    const { width, height, density } = screenShape({ ...view, layout: 'full', colours: panel.colours });
    assert.ok(Math.abs(width * density - view.width) < 1e-6 && Math.abs(height * density - view.height) < 1e-6);
  }
});

test('a page says its language, and which way it is written', () => {
  assert.ok(page('').includes('<html lang="en" dir="ltr">'));
  assert.ok(page('', { language: 'ar' }).includes('<html lang="ar" dir="rtl">'));
});

test('padding is left out where a recipe wishes it', () => {
  assert.not.ok(classesOf(page('')).includes('screen--no-bleed'));
  assert.ok(classesOf(page('', { isWithoutPadding: true })).includes('screen--no-bleed'));
});

test('in the dark, black and white change places, and so do all shades', () => {
  const html = page('<p class="dark:hidden">', { isDark: true });
  assert.ok(classesOf(html).includes('screen--dark-mode'));
  assert.ok(html.includes('--black:#ffffff;--white:#000000;--gray-10:#eeeeee'));
  assert.ok(html.includes('.dark\\:hidden{'));
  assert.not.ok(page('<p class="dark:hidden">').includes('.dark\\:hidden{'));
  const [light, dark] = [mixPaints(seven.colours, false), mixPaints(seven.colours, true)];
  for (const [one, other] of [
    ['gray-10', 'gray-75'],
    ['gray-40', 'gray-45'],
    ['white', 'black'],
  ] as const)
    assert.equal([dark(one)?.fill, dark(one)?.colour], [light(other)?.fill, light(other)?.colour]);
  assert.is(dark('red')?.fill, '#ff0000');
});

test('everything that a page asks for at its own origin is answered', async () => {
  const asked = [...page('').matchAll(/(?:href|src)="([^"]+)"/g)].map(
    ([, path = '']) => new URL(path, screenAddress).href,
  );
  assert.equal(asked, [`${screenOrigin}/screen.css`, `${screenOrigin}/screen.js`]);
  const [css, js] = await Promise.all(asked.map(screenFile));
  assert.is(css?.contentType, 'text/css; charset=utf-8');
  assert.is(js?.contentType, 'text/javascript; charset=utf-8');
  assert.match(String(js?.body), /website-has-loaded/);
  const fonts = new Set([...String(css?.body).matchAll(/url\("([^"]+)"\)/g)].map(([, address = '']) => address));
  assert.ok(fonts.size > 4);
  for (const font of fonts) {
    const file = await screenFile(font);
    assert.is(file?.contentType, 'font/woff2', font);
    assert.is(Buffer.from(file?.body ?? '').toString('latin1', 0, 4), 'wOF2', font);
  }
  assert.is(await screenFile(`${screenOrigin}/fonts/inter-../../etc/passwd.woff2`), undefined);
});

test("the framework's stylesheet and script are answered at its own hosts, of every version, and nothing else is", async () => {
  for (const host of ['trmnl.com', 'usetrmnl.com']) {
    for (const version of ['latest', '2.3.7', '3.1.1']) {
      for (const [name, type] of [
        ['css', 'text/css'],
        ['js', 'text/javascript'],
      ] as const) {
        const plain = await screenFile(`https://${host}/${name}/${version}/plugins.${name}`);
        assert.ok(plain?.contentType.startsWith(type));
        assert.equal(await screenFile(`https://${host}/${name}/${version}/plugins.min.${name}?v=1`), plain);
      }
    }
    assert.is(await screenFile(`https://${host}/js/highcharts/12.3.0/highcharts.js`), undefined);
    assert.is(await screenFile(`https://${host}/fonts/inter-latin.woff2`), undefined);
    // What is not answered is not caught: it is asked of the public web.
    const caught = (address: string): boolean =>
      screenPatterns.some((pattern) =>
        new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`).test(address),
      );
    assert.ok(caught(`https://${host}/css/latest/plugins.css`));
    assert.not.ok(caught(`https://${host}/js/highcharts/12.3.0/highcharts.js`));
    assert.not.ok(caught(`https://${host}/images/plugins/trmnl--render.svg`));
  }
});

test.run();
