/**
 * The look of the dots of a flat area: whether they lie in stripes, whether their pattern changes from place to place, and how
 * rough they are from reading distance. Where they lie evenly the first two are near none.
 */

const block = 16;
const reach = 3;
/** Pairs of steps, each the other turned by a quarter: what is alike along one and not along the other is a stripe. */
const pairs = [
  [1, 0, 0, 1],
  [2, 0, 0, 2],
  [3, 0, 0, 3],
  [1, 1, 1, -1],
] as const;

/** Measures a square of light; the edges, where diffusion has yet to find its pattern, do not count. */
export function measureTexture(
  light: Float64Array,
  side: number,
): { readonly stripes: number; readonly patches: number; readonly grain: number } {
  const mean = light.reduce((sum, each) => sum + each, 0) / light.length;
  const off = light.map((each) => each - mean);
  const variance = off.reduce((sum, each) => sum + each * each, 0) / off.length || 1;
  const likeness = (left: number, top: number, dx: number, dy: number): number => {
    let sum = 0;
    for (let y = top; y < top + block; y++) {
      for (let x = left; x < left + block; x++) {
        sum += (off[y * side + x] as number) * (off[(y + dy) * side + x + dx] as number);
      }
    }
    return sum / (block * block * variance);
  };
  const blocks: number[][] = [];
  const means: number[] = [];
  for (let top = block; top + block + reach <= side; top += block) {
    for (let left = block; left + block + reach <= side; left += block) {
      blocks.push(pairs.flatMap(([ax, ay, bx, by]) => [likeness(left, top, ax, ay), likeness(left, top, bx, by)]));
      let sum = 0;
      for (let y = top; y < top + block; y++)
        for (let x = left; x < left + block; x++) sum += off[y * side + x] as number;
      means.push(sum / (block * block));
    }
  }
  const averages = pairs
    .flatMap((_, at) => [at * 2, at * 2 + 1])
    .map((at) => meanOf(blocks.map((each) => each[at] as number)));
  const spread = averages.map((average, at) => meanOf(blocks.map((each) => ((each[at] as number) - average) ** 2)));
  return {
    stripes: Math.max(
      ...pairs.map((_, at) => Math.abs((averages[at * 2] as number) - (averages[at * 2 + 1] as number))),
    ),
    patches: Math.sqrt(meanOf(spread)),
    grain: Math.sqrt(meanOf(means.map((each) => each * each))),
  };
}

const meanOf = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
