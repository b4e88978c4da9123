/**
 * Measures how sharp a picture is where it is sharpest, at the size of a panel: the strength of its Laplacian against its
 * contrast, square by square. Against the contrast, because night and fog have little of both; by squares, because a
 * portrait in front of a soft background is sharp in few of them.
 */
import { openImage } from './configure-sharp.ts';

/** The longer side of the copy that is measured: what is sharp here is sharp on a panel. */
const copySide = 640;
const squareSide = 32;
/** Squares of less contrast, as a standard deviation of 255 grays, hold no edge. */
const leastContrast = 12;
/** Fewer squares with edges than this share prove nothing: fog, a wall, the night. */
const leastEdges = 0.02;
/** The share of the squares with edges that may be sharper than the one that is taken. */
const sharperShare = 0.1;
/** Grain adds to every square what it adds to an even one; so much is grain at most, and more is texture. */
const maxGrain = 60;

/** A picture below this sharpness is blurred. Measured by `test/bench/blur.ts`: the least of whole ones has four times as much. */
export const blurredBelow = 0.04;

/** Returns the sharpness; undefined for a picture with too few edges to say. */
export async function measureSharpness(image: Uint8Array): Promise<number | undefined> {
  const { data, info } = await openImage(image)
    .autoOrient()
    .flatten({ background: '#ffffff' })
    .resize(copySide, copySide, { fit: 'inside', withoutEnlargement: true })
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const squares = measureSquares(data, info);
  const grain = Math.min(maxGrain, quantile(squares.map(({ edges }) => edges).sort(ascending), 0.05));
  const ratios = squares
    .filter(({ contrast }) => contrast >= leastContrast ** 2)
    .map(({ edges, contrast }) => Math.max(0, edges - grain) / contrast);
  if (ratios.length < Math.max(2, leastEdges * squares.length)) return undefined;
  return quantile(ratios.sort(ascending), 1 - sharperShare);
}

/** Returns whether a picture is blurred all over; one with too few edges to say is not, and one that was only shaken is not. */
export async function isBlurred(image: Uint8Array): Promise<boolean> {
  return isBelowSharp(await measureSharpness(image));
}

/** Returns whether a sharpness is that of a blurred picture. */
export function isBelowSharp(sharpness: number | undefined): boolean {
  return sharpness !== undefined && sharpness < blurredBelow;
}

const ascending = (one: number, other: number): number => one - other;
const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;

interface Square {
  /** The variance of the Laplacian. */
  readonly edges: number;
  /** The variance of the grays. */
  readonly contrast: number;
}

function measureSquares(
  gray: Buffer,
  { width, height }: { readonly width: number; readonly height: number },
): Square[] {
  const squares: Square[] = [];
  const at = (x: number, y: number): number => gray[y * width + x] as number;
  for (let top = 1; top + squareSide < height; top += squareSide) {
    for (let left = 1; left + squareSide < width; left += squareSide) {
      let [sum, squared, laplace, laplaceSquared] = [0, 0, 0, 0];
      for (let y = top; y < top + squareSide; y++) {
        for (let x = left; x < left + squareSide; x++) {
          const value = at(x, y);
          const edge = at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1) - 4 * value;
          sum += value;
          squared += value * value;
          laplace += edge;
          laplaceSquared += edge * edge;
        }
      }
      const count = squareSide * squareSide;
      squares.push({
        edges: laplaceSquared / count - (laplace / count) ** 2,
        contrast: squared / count - (sum / count) ** 2,
      });
    }
  }
  return squares;
}
