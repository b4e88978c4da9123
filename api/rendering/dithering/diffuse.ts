/**
 * Error diffusion by Sierra's small kernel, serpentine, in relative linear light, after mapping colours that the inks cannot mix to the nearest
 * they can. Half of an error goes ahead, a quarter below, a quarter below and behind; measured against
 * larger kernels this one leaves the least noise once the dots have settled. Whole numbers throughout, nothing allocated
 * per pixel: this is the longest loop of the service.
 */
import { linearOfByte, luminance, one } from './colour.ts';
import { tableNodes } from './gamut-table.ts';
import { bitsPerStep, leastLight, lightPerStepShift, mostLight, stepOfLight } from './nearest-table.ts';
import { inkNamed, type PaletteTables } from './palette.ts';
import { fixed, type Sheet } from './sheet.ts';

const lightOfByte = Int32Array.from(linearOfByte, (light) => Math.round(light * one));
const redStep = tableNodes * tableNodes * 3;
const greenStep = tableNodes * 3;

/** What is added to a pixel's bytes before its node is looked up: over eight neighbours the steps average out. */
const remainders = Uint8Array.of(0, 4, 1, 5, 6, 2, 7, 3);

/** Dithers a sheet; `share` is 1, or 0 to draw every pixel in its nearest ink. */
export function diffuse(sheet: Sheet, tables: PaletteTables, share: 0 | 1): void {
  // What is owed to the row in work and to the row below, in quarters, with a spare pixel at either end.
  const rows = [new Int32Array((sheet.width + 2) * 3), new Int32Array((sheet.width + 2) * 3)] as const;
  for (let y = 0; y < sheet.height; y++) {
    const here = y % 2 === 0 ? rows[0] : rows[1];
    const below = y % 2 === 0 ? rows[1] : rows[0];
    below.fill(0);
    diffuseRow(sheet, tables, y, here, below, share);
  }
}

/** Writes to `light` what a colour 0xrrggbb wishes at a place: red, green and blue within reach of the inks, and luminance. */
export function writeWish({ gamut }: PaletteTables, colour: number, x: number, y: number, light: Int32Array): void {
  const [r, g, b] = [colour >> 16, (colour >> 8) & 0xff, colour & 0xff];
  const more = remainders[(x & 3) | ((y & 1) << 2)] as number;
  const node = ((r + more) >> 3) * redStep + ((g + more) >> 3) * greenStep + ((b + more) >> 3) * 3;
  light[0] = (lightOfByte[r] as number) + (gamut[node] as number);
  light[1] = (lightOfByte[g] as number) + (gamut[node + 1] as number);
  light[2] = (lightOfByte[b] as number) + (gamut[node + 2] as number);
  light[3] = luminance(light[0], light[1], light[2]);
}

function diffuseRow(
  { rgb, width, indices, lightness }: Sheet,
  tables: PaletteTables,
  y: number,
  here: Int32Array,
  below: Int32Array,
  share: 0 | 1,
): void {
  const { inks, gamut, nearest, luminances, mayBeNominal } = tables;
  const step = y % 2 === 0 ? 1 : -1;
  const ahead = 3 * step;
  const end = step === 1 ? width : -1;
  let redError = 0;
  let greenError = 0;
  let blueError = 0;
  for (let x = step === 1 ? 0 : width - 1; x !== end; x += step) {
    const pixel = y * width + x;
    const at = x * 3 + 3;
    const r = rgb[pixel * 3] as number;
    const g = rgb[pixel * 3 + 1] as number;
    const b = rgb[pixel * 3 + 2] as number;
    redError = (redError * 2 + (here[at] as number) + 2) >> 2;
    greenError = (greenError * 2 + (here[at + 1] as number) + 2) >> 2;
    blueError = (blueError * 2 + (here[at + 2] as number) + 2) >> 2;
    let ink = -1;
    if (mayBeNominal[((r & 0xf0) << 4) | (g & 0xf0) | (b >> 4)] === 1) ink = inkNamed(tables, (r << 16) | (g << 8) | b);
    if (ink >= 0) {
      // an ink asked for by name is that ink and adds no error; what its neighbours owe passes through it.
      indices[pixel] = ink | fixed;
      lightness[pixel] = 0;
    } else {
      const more = remainders[(x & 3) | ((y & 1) << 2)] as number;
      const node = ((r + more) >> 3) * redStep + ((g + more) >> 3) * greenStep + ((b + more) >> 3) * 3;
      let red = (lightOfByte[r] as number) + (gamut[node] as number);
      let green = (lightOfByte[g] as number) + (gamut[node + 1] as number);
      let blue = (lightOfByte[b] as number) + (gamut[node + 2] as number);
      const wished = (54 * red + 183 * green + 19 * blue) >> 8;
      red = Math.min(Math.max(red + redError, leastLight), mostLight);
      green = Math.min(Math.max(green + greenError, leastLight), mostLight);
      blue = Math.min(Math.max(blue + blueError, leastLight), mostLight);
      ink = nearest[
        ((stepOfLight[(red - leastLight) >> lightPerStepShift] as number) << (2 * bitsPerStep)) |
          ((stepOfLight[(green - leastLight) >> lightPerStepShift] as number) << bitsPerStep) |
          (stepOfLight[(blue - leastLight) >> lightPerStepShift] as number)
      ] as number;
      indices[pixel] = ink;
      lightness[pixel] = (luminances[ink] as number) - wished;
      redError = (red - (inks[ink * 3] as number)) * share;
      greenError = (green - (inks[ink * 3 + 1] as number)) * share;
      blueError = (blue - (inks[ink * 3 + 2] as number)) * share;
    }
    below[at - ahead] = (below[at - ahead] as number) + redError;
    below[at - ahead + 1] = (below[at - ahead + 1] as number) + greenError;
    below[at - ahead + 2] = (below[at - ahead + 2] as number) + blueError;
    below[at] = (below[at] as number) + redError;
    below[at + 1] = (below[at + 1] as number) + greenError;
    below[at + 2] = (below[at + 2] as number) + blueError;
  }
}
