/**
 * A square of thresholds in which neighbours differ as much as they can: void and cluster.
 * Source: Robert Ulichney, "The void-and-cluster method for dither array generation", 1993.
 */

/** The number of thresholds along each side; the square repeats without a seam. */
export const noiseSide = 64;

const cells = noiseSide * noiseSide;
const sigma = 1.9;

const weightAt = (dx: number, dy: number): number => Math.exp(-(dx * dx + dy * dy) / (2 * sigma * sigma));
const around = (at: number): number => Math.min(at, noiseSide - at);
const weights = Float64Array.from({ length: cells }, (_, at) =>
  weightAt(around(at % noiseSide), around(Math.floor(at / noiseSide))),
);

/** The dots on the square, and how crowded each place is. */
class Dots {
  readonly isSet: Uint8Array;
  readonly crowd: Float64Array;

  constructor(isSet = new Uint8Array(cells), crowd = new Float64Array(cells)) {
    this.isSet = isSet;
    this.crowd = crowd;
  }

  put(at: number, dot: 0 | 1): void {
    this.isSet[at] = dot;
    const sign = dot === 1 ? 1 : -1;
    const [column, row] = [at % noiseSide, Math.floor(at / noiseSide)];
    for (let y = 0; y < noiseSide; y++) {
      const from = ((y - row + noiseSide) % noiseSide) * noiseSide;
      for (let x = 0; x < noiseSide; x++) {
        const to = y * noiseSide + x;
        this.crowd[to] =
          (this.crowd[to] as number) + sign * (weights[from + ((x - column + noiseSide) % noiseSide)] as number);
      }
    }
  }

  /** Finds the most crowded dot, or the emptiest place without one. */
  extreme(dot: 0 | 1): number {
    let best = -1;
    for (let at = 0; at < cells; at++) {
      if (this.isSet[at] !== dot) continue;
      const crowd = this.crowd[at] as number;
      if (best < 0 || (dot === 1 ? crowd > (this.crowd[best] as number) : crowd < (this.crowd[best] as number)))
        best = at;
    }
    return best;
  }
}

/**
 * Makes the dots on a tenth of the square, spread by moving the most crowded dot to the emptiest place until that
 * changes nothing.
 */
function firstDots(): Dots {
  const dots = new Dots();
  // Any scatter will do; this one is the same every time, so that the same picture gives the same pixels.
  for (let count = 0, at = 0; count < cells / 10; at = (at * 5 + 1237) % cells) {
    if (dots.isSet[at] === 1) continue;
    dots.put(at, 1);
    count++;
  }
  for (;;) {
    const crowded = dots.extreme(1);
    dots.put(crowded, 0);
    const empty = dots.extreme(0);
    dots.put(empty, 1);
    if (crowded === empty) return dots;
  }
}

/** Makes the thresholds, each of 0..4095 once. This takes a moment: keep them. */
export function makeBlueNoise(): Uint16Array {
  const first = firstDots();
  const ranks = new Uint16Array(cells);
  const count = first.isSet.reduce((sum, dot) => sum + dot, 0);
  const shrinking = new Dots(first.isSet.slice(), first.crowd.slice());
  for (let rank = count - 1; rank >= 0; rank--) {
    const at = shrinking.extreme(1);
    shrinking.put(at, 0);
    ranks[at] = rank;
  }
  for (let rank = count; rank < cells; rank++) {
    const at = first.extreme(0);
    first.put(at, 1);
    ranks[at] = rank;
  }
  return ranks;
}
