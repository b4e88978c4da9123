/** Draws pictures without dithering: every pixel in one ink, whatever its neighbours are. */
import { remainderAt, writeWishedLight } from './diffuse.ts';
import { fixed } from './loops/places.ts';
import { nearestInk, within } from './nearest-table.ts';
import { inkNamed, type PaletteTables } from './palette.ts';
import type { Sheet } from './sheet.ts';

/** The difference that channels of a gray may have: the edge of a black glyph on almost white paper. */
const maxTint = 24;

/**
 * Draws every pixel of a sheet in its nearest ink. A gray goes to black, white or a gray even where a dark colour is
 * nearer: edges of black glyphs would be coloured otherwise.
 */
export function drawNearest({ rgb, width, indices }: Sheet, tables: PaletteTables): void {
  const light = new Int32Array(4);
  const { scale } = tables;
  for (let pixel = 0, x = 0, y = 0; pixel < indices.length; pixel++) {
    const at = pixel * 3;
    const [red, green, blue] = [rgb[at] as number, rgb[at + 1] as number, rgb[at + 2] as number];
    const colour = (red << 16) | (green << 8) | blue;
    const named = inkNamed(tables, colour);
    if (named >= 0) indices[pixel] = named | fixed;
    else if (Math.max(red, green, blue) - Math.min(red, green, blue) <= maxTint) {
      indices[pixel] = tables.neutral[Math.round((red + green + blue) / 3)] as number;
    } else {
      writeWishedLight(tables, colour, remainderAt(x, y), light);
      indices[pixel] = nearestInk(
        tables,
        within(scale, light[0] as number),
        within(scale, light[1] as number),
        within(scale, light[2] as number),
      );
    }
    if (++x === width) {
      x = 0;
      y++;
    }
  }
}
