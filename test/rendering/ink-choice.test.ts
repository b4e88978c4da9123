import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ditherPicture } from '../../api/inks/dithering/dither.ts';
import { ditherToFit } from '../../api/inks/dithering/fit-file.ts';
import { buildPaletteTables, type PaletteTables } from '../../api/inks/dithering/palette.ts';
import { fileBytes, unpackPicture } from '../../firmware-protocol/framebuffer.ts';
import { type Panel, type PanelColour, panels } from '../../firmware-protocol/panels.ts';
import { landscape } from './landscape.ts';
import { measurePicture } from './measure.ts';

const test = suite('ink choice');

/** A panel of each palette, by its name. */
const palettes: readonly (readonly [name: string, colours: readonly PanelColour[], tables: PaletteTables])[] = [
  ...new Map(
    Object.values(panels)
      .reverse()
      .map(({ name, colours }) => [colours.map(({ measured }) => measured).join(), { name, colours }]),
  ).values(),
].map(({ name, colours }) => [name, colours, buildPaletteTables(colours)]);

const side = 128;

const linear = (byte: number): number => (byte <= 10 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4);
const byteOf = (light: number): number =>
  Math.round(255 * (light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055));

/** Returns a dithered flat field; one pixel differs, so that it is not a picture of panel colours alone. */
function field(colour: readonly number[], tables: PaletteTables): Uint8Array {
  const rgb = Uint8Array.from({ length: side * side * 3 }, (_, at) => colour[at % 3] as number);
  rgb[0] = (rgb[0] as number) ^ 2;
  return ditherPicture({ rgb, width: side, height: side }, tables, { intent: 'photo' });
}

/** Mean relative light of each channel. */
function meanOf(indices: Uint8Array, { relative }: PaletteTables): number[] {
  return [0, 1, 2].map(
    (channel) => indices.reduce((sum, ink) => sum + (relative[ink * 3 + channel] as number), 0) / indices.length,
  );
}

const grays = [0x10, 0x20, 0x40, 0x60, 0x80, 0xa0, 0xc0, 0xe0];

/**
 * How far the mean of a flat field may be off, in relative light of a channel. Where coloured inks pay for each other, debts
 * are kept short for smooth tones, and that shows.
 */
const bounds: Readonly<Record<string, number>> = { epd7: 0.025, acep7: 0.04 };
const bound = 0.02;

test('R-30: on every panel flat grays, and flat colours that its inks can mix, keep their light', () => {
  const wrong: string[] = [];
  for (const [name, , tables] of palettes) {
    const { relative } = tables;
    const inks = [...tables.luminances.keys()].map((ink) => [...relative.subarray(ink * 3, ink * 3 + 3)]);
    // Each ink with as much middle gray: within reach, and no ink itself.
    const colours = inks.map((ink) => ink.map((part) => byteOf(Math.min(Math.max(0.5 * part + 0.2, 0), 1))));
    for (const colour of [...grays.map((gray) => [gray, gray, gray]), ...colours]) {
      const mean = meanOf(field(colour, tables), tables);
      const off = Math.max(...mean.map((light, channel) => Math.abs(light - linear(colour[channel] as number))));
      if (off > (bounds[name] ?? bound)) wrong.push(`${name} ${colour}: ${off.toFixed(3)}`);
    }
  }
  assert.equal(wrong, []);
});

/** The most of coloured inks in a gray, as a share; the colours of other panels mix grays smoother than black and white do. */
const maxColoured: Readonly<Record<string, number>> = { bwr7: 0.002, bwy2: 0.002, bwry7: 0.002, acep5: 0.14 };

/** Where its channels lie this far apart an ink counts as coloured: the blue and green of some panels are all but black. */
const colouredFrom = 0.1;

test('R-30: grays are mixed of black and white where colours cannot pay for each other', () => {
  const checked = palettes.filter(([name]) => Object.hasOwn(maxColoured, name));
  assert.is(checked.length, Object.keys(maxColoured).length);
  for (const [name, , tables] of checked) {
    const isColoured = Array.from(tables.luminances, (_, ink) => {
      const light = tables.relative.subarray(ink * 3, ink * 3 + 3);
      return Math.max(...light) - Math.min(...light) > colouredFrom;
    });
    for (const gray of grays) {
      const indices = field([gray, gray, gray], tables);
      const share = indices.filter((ink) => isColoured[ink]).length / indices.length;
      assert.ok(share <= (maxColoured[name] as number), `${name} ${gray}: ${share}`);
    }
  }
});

/** OKLab error and likeness of a landscape with a blue sky, as measured and a little more. */
const atMost: Readonly<Record<string, readonly [oklab: number, ssim: number]>> = {
  epd7: [2.1, 0.9],
  acep7: [2.8, 0.91],
  acep5: [3.5, 0.93],
  bw7: [9.5, 0.64],
  bwr7: [9.5, 0.64],
  bwy2: [8.8, 0.64],
  bwry7: [8.8, 0.64],
  gray10: [4.1, 0.99],
  trmnl4: [4.3, 0.97],
};

test('R-30: every panel shows a landscape as near as its inks allow', () => {
  const [width, height] = [160, 120];
  const rgb = landscape(width, height);
  for (const [name, colours, tables] of palettes) {
    const indices = ditherPicture({ rgb, width, height }, tables);
    const { oklab, ssim } = measurePicture(rgb, indices, width, height, colours);
    const [maxError, minLikeness] = atMost[name] ?? [0, 1];
    assert.ok(oklab <= maxError && ssim >= minLikeness, `${name}: ${oklab.toFixed(2)}, ${ssim.toFixed(3)}`);
  }
});

test('PANEL-12: a photograph too large for its frame keeps its tones, in larger dots', () => {
  const [width, height] = [480, 360];
  const panel: Panel = { ...(panels.trmnlx as Panel), width, height, maxFileBytes: 7000 };
  const rgb = landscape(width, height);
  const tables = buildPaletteTables(panel.colours);
  const file = ditherToFit({ rgb, width, height, panel, orientation: 'landscape', options: {} }, tables);
  const indices = unpackPicture(panel, file) as Uint8Array;
  const { oklab } = measurePicture(rgb, indices, width, height, panel.colours);
  const free = measurePicture(rgb, ditherPicture({ rgb, width, height }, tables), width, height, panel.colours);
  assert.ok(file.length <= fileBytes(panel), `${file.length}`);
  assert.ok(new Set(indices).size > 8, 'more than a few grays');
  assert.ok(oklab < free.oklab + 1, `${oklab} and ${free.oklab}`);
});

test.run();
