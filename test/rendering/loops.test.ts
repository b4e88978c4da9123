import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { diffuse } from '../../api/inks/dithering/diffuse.ts';
import { diffuseBy, kernels } from '../../api/inks/dithering/kernels.ts';
import { fixed } from '../../api/inks/dithering/loops/places.ts';
import { buildPaletteTables, type PaletteTables } from '../../api/inks/dithering/palette.ts';
import { settle } from '../../api/inks/dithering/settle.ts';
import { openSheet, type Sheet, takeInks } from '../../api/inks/dithering/sheet.ts';
import { namedPalettes } from '../../firmware-protocol/palettes.ts';
import { panels } from '../../firmware-protocol/panels.ts';
import { loopFiles } from './compiled-loops.ts';
import { type Drawing, diffuseByDefinition, settleByDefinition } from './dither-by-definition.ts';

const test = suite('loops');
const root = resolve(import.meta.dirname, '../..');

/** Tables of every palette that a panel has or a person may name. */
const palettes: readonly (readonly [inks: string, tables: PaletteTables])[] = [
  ...new Map(
    [...Object.values(panels).map(({ colours }) => colours), ...namedPalettes.values()].map((colours) => [
      colours.map(({ measured }) => measured).join(' '),
      colours,
    ]),
  ),
].map(([inks, colours]) => [inks, buildPaletteTables(colours)]);

test('what is committed is what the loops compile to', async () => {
  for (const [path, content] of await loopFiles()) {
    const same = readFileSync(join(root, path), 'utf8') === content;
    assert.ok(same, `${path} is not current; accept the change with: node --import tsx test/accept.ts loops`);
  }
});

const byte = fc.integer({ min: 0, max: 255 });
const extreme = fc.constantFrom(0, 255, 254, 1, 127, 128);
const size = fc.oneof(
  fc.tuple(fc.integer({ min: 1, max: 24 }), fc.integer({ min: 1, max: 24 })),
  fc.tuple(fc.constant(1), fc.integer({ min: 1, max: 40 })),
  fc.tuple(fc.integer({ min: 1, max: 40 }), fc.constant(1)),
  fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 })),
);

/** Runs of a colour: any, an end of the range, or the number of an ink that is asked for by name. */
const run = fc.record({
  length: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 60 })),
  colour: fc.oneof(
    fc.tuple(byte, byte, byte),
    fc.tuple(extreme, extreme, extreme),
    byte.map((gray) => [gray, gray, gray] as const),
    fc.integer({ min: 0, max: 15 }),
  ),
  grain: fc.integer({ min: 0, max: 3 }),
});

type Runs = readonly { length: number; colour: readonly number[] | number; grain: number }[];

/** A picture of runs, over and over until it is full; `grain` makes neighbours differ. */
function pictureOf(runs: Runs, pixels: number, { nominal }: PaletteTables): Uint8Array {
  const rgb = new Uint8Array(pixels * 3);
  for (let pixel = 0; pixel < pixels; ) {
    for (const { length, colour, grain } of runs) {
      for (const end = Math.min(pixel + length, pixels); pixel < end; pixel++) {
        const named = typeof colour === 'number' ? (nominal[colour % nominal.length] as number) : undefined;
        for (let channel = 0; channel < 3; channel++) {
          rgb[pixel * 3 + channel] =
            named === undefined
              ? ((colour as readonly number[])[channel] as number) ^ (Math.imul(pixel, 7 + channel) & grain)
              : named >> (16 - 8 * channel);
        }
      }
    }
  }
  return rgb;
}

const seen = ({ indices, lightness }: Drawing | Sheet) => ({ indices: [...indices], lightness: [...lightness] });

test('diffusion and settling do what their definition says, bit by bit', () => {
  fc.assert(
    fc.property(
      size,
      fc.array(run, { minLength: 1, maxLength: 20 }),
      fc.integer({ min: 0, max: palettes.length - 1 }),
      fc.integer({ min: 1, max: 3 }),
      ([width, height], runs, palette, times) => {
        const [, tables] = palettes[palette] as (typeof palettes)[number];
        const rgb = pictureOf(runs, width * height, tables);
        const drawing = diffuseByDefinition(rgb, width, height, tables);
        const sheet = openSheet({ rgb, width, height }, tables);
        diffuse(sheet, tables);
        assert.equal(seen(sheet), seen(drawing), 'diffused');
        for (let time = 0; time < times; time++) settleByDefinition(drawing, tables);
        settle(sheet, times);
        assert.equal(seen(sheet), seen(drawing), `settled ${times} times`);
        assert.equal(
          takeInks(sheet),
          drawing.indices.map((index) => index & (fixed - 1)),
          'inks alone',
        );
      },
    ),
    { numRuns: 300 },
  );
});

test('every palette keeps to the definition on a picture of many rows', () => {
  for (const [inks, tables] of palettes) {
    const [width, height] = [53, 41];
    const rgb = Uint8Array.from({ length: width * height * 3 }, (_, at) => {
      const [x, y] = [Math.floor(at / 3) % width, Math.floor(at / 3 / width)];
      return [x * 4, y * 6, 255 - x * 2 - y * 3][at % 3] as number;
    });
    const drawing = diffuseByDefinition(rgb, width, height, tables);
    settleByDefinition(drawing, tables);
    const sheet = openSheet({ rgb, width, height }, tables);
    diffuse(sheet, tables);
    settle(sheet, 1);
    assert.equal(seen(sheet), seen(drawing), inks);
  }
});

test('what other kernels diffused settles by the same definition', () => {
  const [width, height] = [37, 22];
  const [, tables] = palettes[0] as (typeof palettes)[number];
  const rgb = Uint8Array.from({ length: width * height * 3 }, (_, at) => (at * 5 + Math.floor(at / 111) * 3) & 0xff);
  for (const kernel of Object.keys(kernels) as (keyof typeof kernels)[]) {
    const sheet = openSheet({ rgb, width, height }, tables);
    diffuseBy(kernel, true, sheet, tables);
    const drawing = { width, height, indices: sheet.indices.slice(), lightness: sheet.lightness.slice() };
    settleByDefinition(drawing, tables);
    settle(sheet, 1);
    assert.equal(seen(sheet), seen(drawing), kernel);
  }
});

test('a small picture after a large one, and a large one after it, are what they were', () => {
  const [, tables] = palettes[0] as (typeof palettes)[number];
  const [, others] = palettes[1] as (typeof palettes)[number];
  const draw = (width: number, height: number, own: PaletteTables) => {
    const rgb = Uint8Array.from({ length: width * height * 3 }, (_, at) => (at * 11) & 0xff);
    const sheet = openSheet({ rgb, width, height }, own);
    diffuse(sheet, own);
    settle(sheet, 1);
    return takeInks(sheet);
  };
  const [small, large] = [draw(20, 10, tables), draw(1200, 300, tables)];
  draw(7, 300, others);
  assert.equal(draw(20, 10, tables), small);
  assert.equal(draw(1200, 300, tables), large);
});

test.run();
