/** Finds the pixels of a sheet that a tone may change, by compiled loops: all others are passed over. */
import { tileBits } from './loops/places.ts';
import { loadLevels, loops } from './loops.ts';
import type { Sheet } from './sheet.ts';
import type { Plan } from './tone-curve.ts';

/** The marks of a picture, a bit a pixel: a byte for each eight, the first of them in its lowest bit. */
export interface Marks {
  readonly marksPerRow: number;
  /** The pixels that a tone may change as they are, and those at an edge. */
  readonly changed: Uint8Array;
  readonly edges: Uint8Array;
}

/** Marks the pixels of a sheet; edges differ by `off` from the paper. */
export function markSheet({ width, height, places }: Sheet, plans: readonly Plan[], off: number): Marks {
  const { marksPerRow, rgb, papers, changed, edges } = places;
  const least = Math.max(...plans.map(({ calm }) => calm[0]));
  const most = Math.min(...plans.map(({ calm }) => calm[1]));
  const row = width * 3;
  for (let y = 0; y < height; y++) {
    const papersOfRow = papers + (y >> tileBits) * 2 * marksPerRow;
    const [toChanged, toEdges] = [changed + y * marksPerRow, edges + y * marksPerRow];
    loops.markRow(rgb + y * row, row, papersOfRow, toChanged, toEdges, least, most, off);
  }
  const marksAt = (at: number): Uint8Array => new Uint8Array(loops.memory.buffer, at, marksPerRow * height);
  return { marksPerRow, changed: marksAt(changed), edges: marksAt(edges) };
}

/** Gives all marked pixels of a sheet the levels of a plan. */
export function toneSheet({ width, height, places }: Sheet, { bytes }: Plan): void {
  loadLevels(bytes);
  for (let y = 0; y < height; y++) {
    loops.toneRow(places.rgb + y * width * 3, width * 3, places.changed + y * places.marksPerRow);
  }
}

/** Returns the place of the lowest bit that is set. */
export const firstOf = (marks: number): number => 31 - Math.clz32(marks & -marks);
