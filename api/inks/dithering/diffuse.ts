/**
 * Error diffusion by Sierra's small kernel, serpentine, in relative linear light, after mapping colours that the inks
 * cannot mix to the nearest they can. Half of an error goes ahead, a quarter below, a quarter below and behind;
 * measured against larger kernels this one leaves the least noise once the dots have settled. Whole numbers throughout,
 * nothing allocated per pixel: this is the longest loop of the service, `loops/diffuse-row.ts`.
 */
import { luminance } from './colour.ts';
import { remainders } from './gamut-table.ts';
import { noiseAcross, noiseDown, tableNodes } from './loops/places.ts';
import { loops } from './loops.ts';
import type { PaletteTables } from './palette.ts';
import type { Sheet } from './sheet.ts';

/** Dithers a sheet to the palette it was opened with. */
export function diffuse({ places, width, height }: Sheet, { luminances }: PaletteTables): void {
  const { rgb, indices, lightness, owed } = places;
  for (let y = 0; y < height; y++) {
    const first = y * width;
    loops.diffuseRow(rgb + first * 3, indices + first, lightness + first * 4, owed, width, y, luminances.length);
  }
}

/** Returns the number that disturbs the choice of a light's ink at a place in a flat area. */
export function disturbanceAt({ noise, scale }: PaletteTables, light: number, x: number, y: number): number {
  const share = (((Math.imul(x, noiseAcross) + Math.imul(y, noiseDown)) >> 24) * noise) >> 8;
  return ((light - scale.least) * share) >> 8;
}

/** Returns the number that is added to the bytes of a colour at a place before its node is looked up. */
export function remainderAt(x: number, y: number): number {
  return remainders[(x & 3) | ((y & 1) << 2)] as number;
}

/**
 * Writes to `light` the wish of a colour 0xrrggbb: red, green and blue within reach of the inks, and luminance.
 * @param more the remainder of the colour's place (`remainderAt`)
 */
export function writeWishedLight(
  { gamut, lightOf }: PaletteTables,
  colour: number,
  more: number,
  light: Int32Array,
): void {
  const [r, g, b] = [colour >> 16, (colour >> 8) & 0xff, colour & 0xff];
  const node = 3 * ((((r + more) >> 3) * tableNodes + ((g + more) >> 3)) * tableNodes + ((b + more) >> 3));
  const [ofRed, ofGreen, ofBlue] = [3 * r, 3 * (256 + g), 3 * (512 + b)];
  for (let part = 0; part < 3; part++) {
    light[part] =
      (lightOf[ofRed + part] as number) +
      (lightOf[ofGreen + part] as number) +
      (lightOf[ofBlue + part] as number) +
      (gamut[node + part] as number);
  }
  light[3] = luminance(light[0] as number, light[1] as number, light[2] as number);
}
