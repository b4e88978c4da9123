import type { DitherRecipe } from '../../api/inks/dithering/intents.ts';
import type { PaletteTables } from '../../api/inks/dithering/palette.ts';
import { openSheet, type Pixels } from '../../api/inks/dithering/sheet.ts';
import { prepareTone } from '../../api/inks/dithering/tone.ts';

/** Returns the pixels of a picture as a recipe prepares them for a palette. */
export function toned(pixels: Pixels, recipe: DitherRecipe, tables: PaletteTables): Uint8Array {
  const sheet = openSheet(pixels, tables);
  prepareTone(pixels, sheet, recipe, tables);
  return sheet.rgb.slice();
}
