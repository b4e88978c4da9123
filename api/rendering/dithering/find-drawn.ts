/**
 * Tells drawings from photographs, square by square. A drawing has a paper, a colour that much of a square repeats; a
 * photograph's noise never does for long. A square between the two counts in part, so that no border shows.
 */

/** The side of the squares, in pixels: about a line of text. */
export const tile = 16;

/**
 * The shares of a square's most frequent colour: a photograph has up to the first, a drawing from the second on.
 * Measured: half of the squares full of letters of seven pixels have more than 0.3, of a photograph's squares one in
 * fifty has more than 0.25.
 */
const photographUpTo = 0.2;
const drawnFrom = 0.35;

/** The findings, a number for each square, row by row. */
export interface Drawn {
  readonly columns: number;
  readonly rows: number;
  /** The degree to which a square counts as drawn: 0 to 1. */
  readonly weights: Float32Array;
  /** The green of each square's most frequent colour. */
  readonly papers: Uint8Array;
}

const bucketBits = 10;
const counts = new Uint8Array(1 << bucketBits);

/** Judges every square of a picture. */
export function findDrawn(rgb: Uint8Array, width: number, height: number): Drawn {
  const [columns, rows] = [Math.ceil(width / tile), Math.ceil(height / tile)];
  const weights = new Float32Array(columns * rows);
  const papers = new Uint8Array(columns * rows);
  for (let square = 0; square < weights.length; square++) {
    const left = (square % columns) * tile;
    const top = Math.floor(square / columns) * tile;
    judge(square, left, top, Math.min(left + tile, width), Math.min(top + tile, height));
  }
  return { columns, rows, weights, papers };

  function judge(square: number, left: number, top: number, right: number, bottom: number): void {
    counts.fill(0);
    let most = 0;
    let seen = 0;
    // Every fourth row is enough to know.
    for (let y = top; y < bottom; y += 4) {
      for (let x = left, at = (y * width + left) * 3; x < right; x++, at += 3) {
        const colour = ((rgb[at] as number) << 16) | ((rgb[at + 1] as number) << 8) | (rgb[at + 2] as number);
        const bucket = Math.imul(colour, 0x9e3779b1) >>> (32 - bucketBits);
        const count = (counts[bucket] as number) + 1;
        counts[bucket] = count;
        seen++;
        if (count <= most) continue;
        most = count;
        papers[square] = rgb[at + 1] as number;
      }
    }
    const share = (most / seen - photographUpTo) / (drawnFrom - photographUpTo);
    const within = Math.min(Math.max(share, 0), 1);
    weights[square] = within * within * (3 - 2 * within);
  }
}
