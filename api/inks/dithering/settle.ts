/**
 * The last step of dithering: neighbours of different inks change places where that brings the picture, seen from
 * reading distance, closer to what was wished. Diffusion sets each dot when it is due; dots of several inks are due
 * independently of each other and bunch together, most of all in the dark. Changing places keeps every ink's share and
 * undoes the bunches.
 *
 * "Seen from reading distance" is the error of luminance blurred twice over by the eye. Four runs of a box of three are
 * close enough to that blur, and are whole numbers: 1 4 10 16 19 16 10 4 1 along each axis, 6561 in all.
 */

import { radius, ringRows } from './loops/places.ts';
import { loops } from './loops.ts';
import type { Sheet } from './sheet.ts';

/**
 * Lets a dithered sheet settle, as often as `times`. `lightness` is kept in step with the inks; a `fixed` ink stays.
 * One time more is worth half as much as the one before.
 */
export function settle(sheet: Sheet, times: number): void {
  for (let time = 0; time < times; time++) settleOnce(sheet);
}

function settleOnce(sheet: Sheet): void {
  const { width, height, places } = sheet;
  const { indices, lightness, across, ring, stride } = places;
  // Nothing was wished above the first row.
  loops.clear(across, ringRows * stride);
  for (let row = 0; row < radius; row++) blurAcross(sheet, row);
  // Row by row: blurred across, then down, then its pixels move; a move reaches no row that is yet to be blurred down.
  for (let row = -radius - 1; row < height; row++) {
    blurAcross(sheet, row + 2 * radius + 1);
    loops.blurDown(across, ring, row + radius + 1, stride);
    if (row < 0) continue;
    const first = row * width;
    loops.moveRow(indices + first, lightness + first * 4, ring, row, width, stride, row + 1 < height);
  }
}

function blurAcross({ width, height, places }: Sheet, row: number): void {
  const { lightness, line, across, stride } = places;
  const to = across + (row & (ringRows - 1)) * stride;
  if (row < height) loops.blurAcross(lightness + row * width * 4, line, to + radius * 4, width);
  else loops.clear(to, stride);
}
