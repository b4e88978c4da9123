/** Turns a picture into palette indices of a panel. Pure arithmetic; runs in the threads of `workers`. */
import { diffuse } from './diffuse.ts';
import { type DitherOptions, type DitherRecipe, recipeOf } from './intents.ts';
import { diffuseBy } from './kernels.ts';
import { drawNearest, readNames } from './nearest.ts';
import { ditherInOrder } from './ordered.ts';
import type { PaletteTables } from './palette.ts';
import { settle } from './settle.ts';
import { openSheet, type Pixels, type Sheet, takeInks } from './sheet.ts';
import { prepareTone } from './tone.ts';

/**
 * Takes a picture that consists of panel colours alone (a preview sent back, a page drawn for the panel) as it is.
 * @returns its indices, or undefined at the first other pixel
 */
function readPanelColours(rgb: Uint8Array, { measured, nominal }: PaletteTables): Uint8Array | undefined {
  const indices = new Uint8Array(rgb.length / 3);
  let last = -1;
  let index = -1;
  for (let at = 0, pixel = 0; at < rgb.length; at += 3, pixel++) {
    const colour = ((rgb[at] as number) << 16) | ((rgb[at + 1] as number) << 8) | (rgb[at + 2] as number);
    if (colour !== last) {
      index = measured.indexOf(colour);
      if (index < 0) index = nominal.indexOf(colour);
      if (index < 0) return undefined;
      last = colour;
    }
    indices[pixel] = index;
  }
  return indices;
}

/**
 * Dithers a picture, whose pixels are left as they are.
 * @returns palette indices (positions in the panel's colours), one a pixel
 */
export function ditherPicture(pixels: Pixels, tables: PaletteTables, options: DitherOptions = {}): Uint8Array {
  const { rgb, width, height } = pixels;
  if (rgb.length !== width * height * 3) throw new Error(`picture has ${rgb.length} bytes, not ${width}x${height}x3`);
  const clean = readPanelColours(rgb, tables);
  if (clean !== undefined) return clean;
  if (options.method === 'named') return readNames(rgb, tables);
  const recipe = recipeOf(options);
  const sheet = openSheet(pixels, tables);
  prepareTone(pixels, sheet, recipe, tables);
  chooseInks(sheet, tables, recipe);
  return takeInks(sheet);
}

function chooseInks(sheet: Sheet, tables: PaletteTables, { method, kernel, serpentine, settling }: DitherRecipe): void {
  if (method === 'ordered') ditherInOrder(sheet, tables);
  else if (method === 'none') drawNearest(sheet, tables);
  else {
    if (kernel === 'sierraLite' && serpentine) diffuse(sheet, tables);
    else diffuseBy(kernel, serpentine, sheet, tables);
    settle(sheet, settling);
  }
}
