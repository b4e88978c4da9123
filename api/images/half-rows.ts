/** Makes one row of pixels of two, half as long, by the light that they stand for (`linear-light.ts`). */

const lightOf = Float32Array.from({ length: 256 }, (_, value) =>
  value <= 10 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
);
/** The numbers of light in steps that are finer than those of the darkest numbers. */
const steps = 16_384;
const numberOf = Uint8Array.from({ length: steps + 1 }, (_, at) => {
  const light = at / steps;
  return Math.round(255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055));
});

/**
 * Writes the mean of each four pixels.
 * @param upper a row of sRGB, three bytes each; other colours differ little in how their numbers stand for light
 * @param half how much is written, three bytes for each four pixels
 */
export function halfRows(upper: Uint8Array, lower: Uint8Array, half: Uint8Array): void {
  const light = (row: Uint8Array, at: number): number => lightOf[row[at] as number] as number;
  for (let to = 0; to < half.length; to++) {
    const from = 2 * to - (to % 3);
    const sum = light(upper, from) + light(upper, from + 3) + light(lower, from) + light(lower, from + 3);
    half[to] = numberOf[Math.round((sum * steps) / 4)] as number;
  }
}
