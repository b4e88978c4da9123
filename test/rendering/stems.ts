/**
 * How whole the stems of letters are on a panel: each upright stroke of the wished letters, row by row. A stem has a
 * gap where no pixel of it is inked; its weight is how many are, in the mean.
 */

/** An upright stroke: its middle column, its first row, and the row after its last. */
interface Stem {
  readonly x: number;
  readonly top: number;
  readonly end: number;
}

/** The least rows of a stem, and the least of a pixel's width that it covers in each. */
const minRows = 4;
const minWidth = 0.5;

/** Finds the stems of letters by how far each pixel is covered, 0 to 1. */
export function findStems(share: Float64Array, width: number): Stem[] {
  const height = share.length / width;
  const at = (x: number, y: number): number => share[y * width + x] as number;
  const isMiddle = (x: number, y: number): boolean => {
    const own = at(x, y);
    const [before, after] = [at(x - 1, y), at(x + 1, y)];
    if (own < before || own <= after || before + own + after < minWidth) return false;
    return Math.min(before, at(x - 2, y)) <= own / 3 && Math.min(after, at(x + 2, y)) <= own / 3;
  };
  const stems: Stem[] = [];
  for (let x = 2; x < width - 2; x++) {
    for (let y = 0, top = 0; y <= height; y++) {
      if (y < height && isMiddle(x, y)) continue;
      if (y - top >= minRows) stems.push({ x, top, end: y });
      top = y + 1;
    }
  }
  return stems;
}

/** The state of stems: the share of their rows with ink, the rows of the longest gap, and how unlike weights are. */
export interface StemsSeen {
  readonly inked: number;
  readonly longestGap: number;
  readonly unevenness: number;
}

/** Measures stems by what is inked on the panel. */
export function measureStems(
  stems: readonly Stem[],
  share: Float64Array,
  width: number,
  isInked: (pixel: number) => boolean,
): StemsSeen {
  const weights: number[] = [];
  const sum = { rows: 0, inked: 0 };
  let longestGap = 0;
  for (const { x, top, end } of stems) {
    let [gap, ink] = [0, 0];
    for (let y = top; y < end; y++) {
      const pixels = [x - 1, x, x + 1].map((column) => y * width + column);
      const inked = pixels.filter((pixel) => (share[pixel] as number) >= 0.2 && isInked(pixel)).length;
      gap = inked === 0 ? gap + 1 : 0;
      longestGap = Math.max(longestGap, gap);
      ink += inked;
      sum.inked += inked === 0 ? 0 : 1;
    }
    sum.rows += end - top;
    weights.push(ink / (end - top));
  }
  const mean = weights.reduce((total, each) => total + each, 0) / weights.length;
  const variance = weights.reduce((total, each) => total + (each - mean) ** 2, 0) / weights.length;
  return { inked: sum.inked / sum.rows, longestGap, unevenness: Math.sqrt(variance) / mean };
}
