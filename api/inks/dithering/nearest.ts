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

/**
 * Reads a page of our own, which is made of the inks' nominal colours: a pixel between two of them, at the edge of a
 * letter, is the nearer one by its bytes. Colours at the corners of the cube have no third one nearer to their
 * mixtures; an ink inside of it, such as orange, is therefore taken only where it is named.
 */
export function readNames(rgb: Uint8Array, tables: PaletteTables): Uint8Array {
  const indices = new Uint8Array(rgb.length / 3);
  const known = new Map<number, number>();
  for (let at = 0, pixel = 0; at < rgb.length; at += 3, pixel++) {
    const colour = ((rgb[at] as number) << 16) | ((rgb[at + 1] as number) << 8) | (rgb[at + 2] as number);
    let ink = known.get(colour);
    if (ink === undefined) {
      const named = inkNamed(tables, colour);
      ink = named >= 0 ? named : nearestName(tables.nominal, colour);
      known.set(colour, ink);
    }
    indices[pixel] = ink;
  }
  return indices;
}

const channels = (colour: number): readonly number[] => [16, 8, 0].map((shift) => (colour >> shift) & 0xff);

function nearestName(nominal: Int32Array, colour: number): number {
  const wished = channels(colour);
  const distances = Array.from(nominal, (ink) => {
    const parts = channels(ink);
    const isCorner = parts.every((part) => part === 0 || part === 255);
    if (!isCorner && new Set(parts).size > 1) return Number.POSITIVE_INFINITY;
    return parts.reduce((sum, part, at) => sum + (part - (wished[at] as number)) ** 2, 0);
  });
  return distances.indexOf(Math.min(...distances));
}
