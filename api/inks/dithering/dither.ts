/** Turns a picture into palette indices of a panel. Pure arithmetic; runs in the threads of `workers`. */
import { diffuse } from './diffuse.ts';
import { type DitherOptions, type DitherRecipe, recipeOf } from './intents.ts';
import { diffuseBy } from './kernels.ts';
import { drawNearest } from './nearest.ts';
import { ditherInOrder } from './ordered.ts';
import type { PaletteTables } from './palette.ts';
import { readNames, readPanelColours } from './read-inks.ts';
import { settle } from './settle.ts';
import { openSheet, type Pixels, type Sheet, takeInks } from './sheet.ts';
import { prepareTone } from './tone.ts';

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
