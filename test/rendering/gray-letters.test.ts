/** R-36: what a browser draws small and gray is read on panels that have no gray, or few. */

import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fontFaces } from '../../api/fonts/own-fonts.ts';
import { ditherPicture } from '../../api/inks/dithering/dither.ts';
import { buildPaletteTables } from '../../api/inks/dithering/palette.ts';
import { type Panel, panels } from '../../firmware-protocol/panels.ts';
import { wordsOf } from '../../reasons/words.ts';
import { manyTimes } from '../some-times.ts';
import { lightOfInks } from './legibility.ts';
import { sharer, withPages, withRendering } from './render-world.ts';
import { findStems, measureStems, type StemsSeen } from './stems.ts';

const test = suite('gray letters');

const [width, height] = [400, 240];
const text = 'Hamburgefonstiv 0123456789 The quick brown fox jumps over the lazy dog; all will fill Illinois.';
const families = ['Inter', 'Literata'] as const;

/** The same letters in one colour on another. */
const page = (ink: string, paper: string): string =>
  `<!doctype html><style>${families.map((family) => fontFaces(family, text)).join('')}
  body{margin:4px;background:${paper};color:${ink}} p{margin:0 0 2px;line-height:1.25;white-space:nowrap;overflow:hidden}
  </style>${families
    .flatMap((family) => [7, 8, 9, 10, 12].map((size) => `<p style="font:${size}px ${family}">${text}</p>`))
    .join('')}`;

const allPairs = [
  ['#000000', '#ffffff'],
  ['#888888', '#ffffff'],
  ['#cccccc', '#ffffff'],
  ['#888888', '#ffcc00'],
  ['#777777', '#ffffff'],
  ['#999999', '#ffffff'],
  ['#aaaaaa', '#ffffff'],
  ['#888888', '#fff6e5'],
  ['#777777', '#dce8f8'],
  ['#888888', '#e0e0e0'],
  ['#999999', '#222222'],
] as const;
const pairs = allPairs.slice(0, manyTimes('pairs of colours', allPairs.length, 4));

/** The pictures of all pairs, three bytes a pixel, as the browser draws them. */
const pictures = await withPages(
  Object.fromEntries(pairs.map(([ink, paper], at) => [`/${at}`, page(ink, paper)])),
  ({ origin }) =>
    withRendering(async (rendering) => {
      const drawn = new Map<string, Uint8Array>();
      for (const [at, pair] of pairs.entries()) {
        const options = { sharer, url: `${origin}/${at}`, width, height, allowedOrigin: origin };
        const rendered = await rendering.renderPage(options);
        if (!rendered.ok) throw new Error(wordsOf(rendered.reason));
        drawn.set(pair.join(' on '), new Uint8Array(await sharp(rendered.png).removeAlpha().raw().toBuffer()));
      }
      return drawn;
    }),
);
const pictureOf = (pair: string): Uint8Array => pictures.get(pair) as Uint8Array;

const share = Float64Array.from({ length: width * height }, (_, at) => {
  return 1 - (pictureOf('#000000 on #ffffff')[at * 3 + 1] as number) / 255;
});
const stems = findStems(share, width);

const tablesOf = new Map(['bw7', 'epd7', 'bwr7', 'trmnl4'].map((name) => [name, buildPaletteTables(coloursOf(name))]));

function coloursOf(name: string): Panel['colours'] {
  return (panels[name] as Panel).colours;
}

/** Measures a pair's stems on a panel. A pixel is inked that differs from the paper by most of what the ink does. */
function look(pair: string, name: string, intent: 'photo' | 'auto' | 'readable' | 'text'): StemsSeen {
  const tables = tablesOf.get(name) as ReturnType<typeof buildPaletteTables>;
  const light = lightOfInks(
    ditherPicture({ rgb: pictureOf(pair), width, height }, tables, { intent }),
    coloursOf(name),
  );
  const [least, most] = [Math.min(...light), Math.max(...light)];
  const isDark = pair.slice(1, 3) < pair.slice(-6, -4);
  // On grays a step from the paper is ink; on two inks, the other one.
  const edge = name === 'trmnl4' ? (isDark ? most - 0.08 : least + 0.03) : (least + most) / 2;
  return measureStems(stems, share, width, (pixel) => (light[pixel] as number) < edge === isDark);
}

test('the letters have stems to look at', () => {
  assert.ok(stems.length > 150, `${stems.length} stems`);
});

test('every stem of gray letters of 7 to 12 pixels is unbroken, and weighs as much as its neighbours', () => {
  for (const pair of pictures.keys()) {
    if (pair === '#cccccc on #ffffff' || pair === '#000000 on #ffffff') continue;
    const isSaturated = pair.endsWith('#ffcc00');
    for (const name of ['bw7', 'epd7', 'bwr7']) {
      for (const intent of ['auto', 'readable', 'text'] as const) {
        const { inked, longestGap, unevenness } = look(pair, name, intent);
        const what = `${pair}, ${name}, ${intent}`;
        assert.ok(inked >= (isSaturated ? 0.985 : 0.999), `${what}: ${inked.toFixed(4)} of the stems' rows are inked`);
        assert.ok(longestGap <= (isSaturated ? 3 : 1), `${what}: a gap of ${longestGap} rows`);
        assert.ok(unevenness < (isSaturated ? 0.25 : 0.16), `${what}: weights differ by ${unevenness.toFixed(3)}`);
      }
    }
    const { inked, longestGap } = look(pair, 'trmnl4', 'auto');
    assert.ok(inked >= 0.998 && longestGap <= 1, `${pair}, four grays: ${inked.toFixed(4)}, a gap of ${longestGap}`);
  }
});

test('paler letters than those stay dots: as black ones they would shout', () => {
  const { inked } = look('#cccccc on #ffffff', 'bw7', 'auto');
  assert.ok(inked > 0.3 && inked < 0.9, `${inked.toFixed(3)} of the rows of #cccccc`);
});

test('nothing is drawn for a panel of 16 grays, nor where a picture is asked for as it is', () => {
  const { inked } = look('#888888 on #ffffff', 'bw7', 'photo');
  assert.ok(inked < 0.9, `${inked.toFixed(3)} of the rows`);
  const gray10 = panels.gray10 as Panel;
  const rgb = pictureOf('#888888 on #ffffff');
  const grays = new Set(ditherPicture({ rgb, width, height }, buildPaletteTables(gray10.colours)));
  assert.ok(grays.size > 6, `${grays.size} grays`);
});

test.run();
