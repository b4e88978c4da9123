/** Class names of recipes: which are styled, on which screens they count, and the inks that their colours are. */
import { inflateSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { classRules } from '../../api/recipes/screen/class-rules.ts';
import { measureOf } from '../../api/recipes/screen/measures.ts';
import { mixPaints, type Paint } from '../../api/recipes/screen/paints.ts';
import { screenShape } from '../../api/recipes/screen/screen-shape.ts';
import { recipeStylesheet } from '../../api/recipes/screen/stylesheet.ts';
import { type Orientation, type Panel, panelOfKind, panels, viewSize } from '../../firmware-protocol/panels.ts';

const test = suite('class names of recipes');

const named = (name: string): Panel => panelOfKind(name) as Panel;
const paints = mixPaints(named('epd7').colours, false);

/** Names as 27 published recipes use them, in their four layouts, the most frequent first; conditions left out. */
const used = `
  flex label content title image layout image-stroke title_bar w--full item flex--col instance label--small meta h--full
  flex--row text--center bg--gray-30 value gap--none description text-stroke gap--xsmall flex--left grid flex--center-y gap
  column shrink-0 bg--black title--small gap--small value--xxsmall label--base columns grow inline-block richtext
  flex--stretch-x label--underline flex--center-x hidden index content--large value--small layout--col label--outline pb--1
  value--tnums rounded content--small image--contain no-shrink mb--2 text-stroke--medium value--xsmall flex--wrap
  flex--bottom divider inline-flex label--gray text--balance gap--[2px] rounded--full h--max-full richtext--left
  label--inverted col--span-1 flex--between gap--large content--base layout--row text--right w--auto mr--2 grid--cols-2
  relative value--large label--large layout--top bg--white w--6 value--xlarge layout--center-y text--gray-7 h--1.5
  value--base w--12 layout--left text--gray-40 px--1 col--span-2 gap--space-between p--0 flex--top pt--2 grid--cols-5
  value--xxlarge col--span-3 block title--large w--20 h--12 flex--right richtext--center border absolute text--gray-55
  aspect--16/9 label--filled value--xxxlarge font--bold content--center w--max-full t--0 l--0 text-stroke--xlarge px--4
  py--2 image--cover flex--center text--large bg--gray-5 col text--gray-75 row--center gap--medium title--xlarge
  text--gray-30 flex-auto aspect--1/1 p--4 gap--[12px] value--mega flex--evenly my--0.5 h--3 description--large
  rounded--[3px] w--9 mr--1.5 w--0 h--auto border--h-5 text--left title--base grid--cols-8 layout--justify-center w--14
  gap--distribute row table--small flex--row-reverse h--0 bg--gray-75 flex--around layout--justify-start title--xxlarge
  outline w--[64cqw] w--[75cqw] mt--3`;

/** Names that are left without a rule, and why. */
const leftOut: Readonly<Record<string, string>> = {
  'image-dither': 'the service dithers the whole page',
  'image--dither': 'the service dithers the whole page',
  'clamp--3': 'the script cuts texts',
  'flex--baseline': 'the framework has no such name either',
  'text-stroke--thick': 'the framework has no such name either',
};

const styled = new Set(
  recipeStylesheet().rules.flatMap(({ selectors }) =>
    selectors.flatMap((selector) => [...selector.matchAll(/\.([\w-]+)/g)].map(([, name = '']) => name)),
  ),
);
const hasRule = (name: string): boolean => styled.has(name) || measureOf(name, paints) !== undefined;

test('the class names that published recipes use are styled', () => {
  const names = used.trim().split(/\s+/);
  assert.ok(names.length > 150);
  assert.equal(
    names.filter((name) => !hasRule(name)),
    [],
  );
  for (const name of Object.keys(leftOut)) assert.not.ok(hasRule(name), name);
});

test('each family of sizes is complete, with the name for its usual size', () => {
  const families: Readonly<Record<string, string>> = {
    value: 'xxsmall xsmall small base large xlarge xxlarge xxxlarge mega giga tera peta',
    title: 'small base large xlarge xxlarge',
    label: 'small base large xlarge xxlarge',
    description: 'base large xlarge xxlarge',
    content: 'small base large xlarge xxlarge xxxlarge',
    gap: 'none xsmall small base medium large xlarge xxlarge',
    rounded: 'none xsmall small base medium large xlarge xxlarge full',
    table: 'xsmall small base large xlarge',
    'progress-bar': 'xsmall small base large',
    'progress-dots': 'xsmall small base large',
    mashup: '1Lx1R 1Tx1B 2x2 1Lx2R 2Lx1R 2Tx1B 1Tx2B',
  };
  const missing = Object.entries(families).flatMap(([family, sizes]) =>
    sizes.split(' ').flatMap((size) => (styled.has(`${family}--${size}`) ? [] : [`${family}--${size}`])),
  );
  assert.equal(missing, []);
});

test('every selector of the stylesheet is whole, and no rule is empty', () => {
  const { text, rules } = recipeStylesheet();
  assert.ok(rules.length > 200, `${rules.length} rules`);
  assert.is(text.match(/\{/g)?.length, text.match(/\}/g)?.length);
  for (const { selectors, declared } of rules) {
    assert.not.equal(declared, '');
    for (const selector of selectors) assert.is(selector.match(/\(/g)?.length, selector.match(/\)/g)?.length, selector);
  }
});

test('measures in class names are lengths in units of four pixels, shares or what stands in brackets', () => {
  const declared = (name: string): string | undefined => measureOf(name, paints);
  assert.is(declared('w--14'), 'width:56px');
  assert.is(declared('my--0.5'), 'margin-top:2px;margin-bottom:2px');
  assert.is(declared('w--min-[30cqw]'), 'min-width:30cqw');
  assert.is(declared('h--max-full'), 'max-height:100%');
  assert.is(declared('h--max-auto'), 'max-height:none');
  assert.is(declared('gap--[9px]'), 'gap:9px');
  assert.is(declared('grid--min-32'), '--least-column:128px');
  assert.is(declared('order---1'), 'order:-1');
  for (const other of [
    'gap--9',
    'w--',
    'w--wide',
    'w--[1px;color:red]',
    'w--[calc(1px)]',
    'constructor--2',
    'bg--mauve',
    'bg--gray-32',
  ])
    assert.is(declared(other), undefined, other);
});

test('class names with conditions count on the screens that they name, the strongest last', () => {
  const markup =
    '<p class="hidden md:block lg:flex portrait:inline md:portrait:hidden 1bit:block 4bit:gap--small lg:w--[64cqw] sm:mt--1.5">';
  const rulesOn = (name: string, orientation: Orientation): string[] => {
    const panel = named(name);
    const shape = screenShape({ ...viewSize(panel, orientation), layout: 'full', colours: panel.colours });
    const css = classRules(markup, { shape, isDark: false, paints: mixPaints(panel.colours, false) });
    const words = [...css.matchAll(/\.((?:\\3\d |\\.|[\w-])+)/g)].map(([, word = '']) =>
      word.replace(/\\3(\d) /, '$1').replaceAll('\\', ''),
    );
    return [...new Set(words.filter((word) => word.includes(':')))];
  };
  assert.equal(rulesOn('trmnl2', 'landscape'), ['sm:mt--1.5', 'md:block', '1bit:block']);
  assert.equal(rulesOn('epd7', 'portrait'), ['sm:mt--1.5', 'md:block', 'portrait:inline', 'md:portrait:hidden']);
  assert.equal(rulesOn('trmnlx', 'landscape'), [
    'sm:mt--1.5',
    'md:block',
    'lg:flex',
    'lg:w--[64cqw]',
    '4bit:gap--small',
  ]);
});

/** The colours of a fill: the one it is, or those of its pixels. */
function pixelsOf({ fill }: Paint): string[] {
  const picture = /base64,([^"]+)/.exec(fill)?.[1];
  if (picture === undefined) return [fill];
  const bytes = Buffer.from(picture, 'base64');
  const at = bytes.indexOf('IDAT');
  const rows = inflateSync(bytes.subarray(at + 4, at + 4 + bytes.readUInt32BE(at - 4)));
  return Array.from({ length: 16 }, (_, place) => {
    const from = Math.floor(place / 4) * 13 + 1 + (place % 4) * 3;
    return `#${rows.toString('hex', from, from + 3)}`;
  });
}

const shades = Array.from({ length: 14 }, (_, at) => 10 + at * 5);
const hues = ['red', 'orange', 'yellow', 'lime', 'green', 'cyan', 'blue', 'violet', 'purple', 'pink'];

test('every fill of every panel is made of its inks alone', () => {
  const names = [
    'black',
    'white',
    'primary',
    'success',
    'error',
    'warning',
    'gray-4',
    ...shades.map((shade) => `gray-${shade}`),
  ];
  names.push(...hues.flatMap((hue) => [hue, ...shades.map((shade) => `${hue}-${shade}`)]));
  for (const panel of Object.values(panels)) {
    const inks = new Set(panel.colours.map(({ nominal }) => nominal));
    for (const isDark of [false, true]) {
      const mixed = mixPaints(panel.colours, isDark);
      for (const name of names) {
        const paint = mixed(name);
        assert.ok(paint, `${panel.name} ${name}`);
        assert.equal(
          pixelsOf(paint).filter((ink) => !inks.has(ink)),
          [],
          `${panel.name} ${name}`,
        );
      }
    }
  }
});

test('shades get lighter step by step, from black to white', () => {
  const lightOf = (paint: Paint | undefined): number => {
    const pixels = paint === undefined ? [] : pixelsOf(paint);
    return pixels.reduce((sum, hex) => sum + Number.parseInt(hex.slice(1, 3), 16), 0) / pixels.length;
  };
  for (const name of ['trmnl2', 'trmnl4', 'trmnlx', 'epd7']) {
    const mixed = mixPaints(named(name).colours, false);
    const lights = ['black', ...shades.map((shade) => `gray-${shade}`), 'white'].map((shade) => lightOf(mixed(shade)));
    assert.equal(
      lights,
      [...new Set(lights)].sort((one, other) => one - other),
      name,
    );
  }
});

test('a hue is the nearest ink, and a gray where there are no colours', () => {
  const of = (name: string, kind: string): string | undefined => mixPaints(named(kind).colours, false)(name)?.colour;
  assert.equal(
    hues.map((hue) => of(hue, 'epd7')),
    ['#ff0000', '#ffff00', '#ffff00', '#00ff00', '#00ff00', '#00ff00', '#0000ff', '#0000ff', '#0000ff', '#ff0000'],
  );
  assert.is(of('orange', 'acep7'), '#ff8c00');
  assert.is(of('blue', 'bwr7'), '#ff0000');
  assert.match(of('blue', 'trmnlx') ?? '', /^#(..)\1\1$/);
});

test.run();
