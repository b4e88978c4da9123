/** The recipes that come along are drawn from their samples without a browser, on panels of several sizes. */
import { join } from 'node:path';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ownRecipe } from '../../api/recipes/own-recipes.ts';
import { type Layout, layouts, viewOf } from '../../api/recipes/package/recipe.ts';
import { templateValues } from '../../api/recipes/package/recipe-fields.ts';
import type { ReadMarkup } from '../../api/recipes/screen/read-markup.ts';
import { screenDocument } from '../../api/recipes/screen/screen-document.ts';
import { screenShape } from '../../api/recipes/screen/screen-shape.ts';
import { createRendering, type Rendering } from '../../api/rendering/rendering.ts';
import { readRecipeFolder } from '../../cli/recipes/read-folder.ts';
import { pictureOfRecipe } from '../../cli/recipes/try-recipe.ts';
import { type Orientation, type Panel, panelOfKind, viewSize } from '../../firmware-protocol/panels.ts';
import { systemClock } from '../../runtime/clock.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { nowhere, sharer } from '../rendering/render-world.ts';
import { checkout } from '../sources.ts';
import { ownRecipeNames } from './recipe-pictures.ts';

const test = suite('typeset recipes');

const frames: readonly (readonly [panel: string, orientation: Orientation])[] = [
  ['epd7', 'landscape'],
  ['openpaper13', 'portrait'],
  ['crowpanel42', 'landscape'],
];
const at = '2026-06-04T14:05+02:00';

/** Gives a test a rendering whose browser is not there: what needs one fails. */
async function withoutBrowser(run: (rendering: Rendering) => Promise<void>): Promise<void> {
  const rendering = createRendering({
    clock: systemClock,
    logger: silentLogger,
    rule: nowhere,
    browserPath: '/no/browser/here',
  });
  try {
    await run(rendering);
  } finally {
    await rendering.stop();
  }
}

interface Pixels {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** Returns whether a pixel is another colour than the one in the corner, which is the panel's white. */
function isInk({ data, width }: Pixels, x: number, y: number): boolean {
  const from = (y * width + x) * 3;
  return [0, 1, 2].some((at) => Math.abs((data[from + at] ?? 0) - (data[at] ?? 0)) > 40);
}

/** Counts the pixels that are not white within a distance of the edges, and all of them. */
function countInk(pixels: Pixels, margin: number): { readonly edge: number; readonly all: number } {
  const { width, height } = pixels;
  let [edge, all] = [0, 0];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (!isInk(pixels, x, y)) continue;
      all++;
      if (Math.min(x, y, width - 1 - x, height - 1 - y) < margin) edge++;
    }
  }
  return { edge, all };
}

async function pixelsOf(png: Buffer): Promise<Pixels> {
  const { data, info } = await sharp(png)
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

for (const [kind, orientation] of frames) {
  test(`each has ink and a margin on ${kind} in ${orientation}, and starts no browser`, () =>
    withoutBrowser(async (rendering) => {
      const panel = panelOfKind(kind) as Panel;
      const { density } = screenShape({ ...viewSize(panel, orientation), layout: 'full', colours: panel.colours });
      for (const name of ownRecipeNames) {
        const options = { panel: kind, orientation, language: 'en', timeZone: 'Europe/Berlin', at };
        const { picture } = await pictureOfRecipe(rendering, join(checkout, 'recipes', name), options);
        const pixels = await pixelsOf(picture);
        const { edge, all } = countInk(pixels, Math.floor(10 * density) - 1);
        assert.is(edge, 0, name);
        assert.ok(all > pixels.width * pixels.height * 0.01, `${name}: ${all} pixels`);
      }
    }));
}

interface PartWish {
  readonly name: string;
  readonly layout: Layout;
  readonly language?: string;
  /** The rules that a paper adds. */
  readonly css?: string;
}

/** Draws a recipe for a part of the screen of OpenPaper 7. */
async function drawPart(rendering: Rendering, { name, layout, language = 'en', css = '' }: PartWish): Promise<Pixels> {
  const { recipe, sample = '{}' } = await readRecipeFolder(join(checkout, 'recipes', name));
  const [width, height] = [layout === 'half_horizontal' ? 800 : 400, layout === 'half_vertical' ? 480 : 240];
  const { colours } = panelOfKind('epd7') as Panel;
  const picture = { width, height, layout, colours };
  const made = await rendering.workOnRecipe(sharer, {
    do: 'page',
    markup: viewOf(recipe, layout),
    settings: recipe.settings,
    data: sample,
    values: templateValues(recipe.settings.fields, {}, '2026-06-04'),
    layout,
    surroundings: {
      now: Date.parse(at),
      timeZone: 'Europe/Berlin',
      language,
      paperName: 'In the hall',
      panel: { width, height },
    },
    typesetAt: screenShape(picture).density,
  });
  assert.ok(made.ok);
  const { page, read } = made.done;
  const screen = { ...picture, markup: page, language, isDark: false, isWithoutPadding: false };
  const drawn = await rendering.renderDocument(screenDocument(screen, read as ReadMarkup, css), sharer);
  assert.ok(drawn.ok);
  assert.is(drawn.missing, '');
  return { data: drawn.rgb, width, height };
}

test('each is drawn for parts of a screen in a frame of its own, whatever the language', () =>
  withoutBrowser(async (rendering) => {
    for (const name of ownRecipeNames) {
      for (const layout of layouts.filter((one) => one !== 'full')) {
        for (const language of ['en', 'pl']) {
          const pixels = await drawPart(rendering, { name, layout, language });
          const { width, height } = pixels;
          const which = `${name} ${layout} ${language}`;
          for (const [x, y] of [
            [width / 2, 0],
            [width / 2, height - 1],
            [0, height / 2],
            [width - 1, height / 2],
          ] as const)
            assert.ok(isInk(pixels, x, y), `${which}: its frame is missing at ${x},${y}`);
          assert.ok(countInk(pixels, 0).all > width * height * 0.02, which);
        }
      }
    }
  }));

test('the rules that a paper adds are the strongest', () =>
  withoutBrowser(async (rendering) => {
    const part = { name: 'moon-sun', layout: 'quadrant' } as const;
    const plain = countInk(await drawPart(rendering, part), 0).all;
    const bare = await drawPart(rendering, {
      ...part,
      css: '.layout { visibility: hidden } .title_bar { background: #fff }',
    });
    assert.ok(countInk(bare, 0).all < plain / 2);
  }));

test('a recipe that comes along is known as typeset when it is read', async () => {
  assert.is((await ownRecipe('own-weather'))?.isTypeset, true);
});

test.run();
