/**
 * Which ink is nearest to a light, by OKLab, looked up instead of computed. Each axis is the signed square root of
 * relative light, because dark tones need the resolution. Light below none is real here: it is a debt left by
 * neighbours that came out too light, and it must keep white from being chosen again.
 */
import { one, writeOklab } from './colour.ts';
import { bitsPerStep, lightPerStepShift } from './loops/places.ts';

/**
 * The range of light that is told apart; anything outside counts as the end of the range. A debt may grow to `leastLight`
 * and no further: deeper ones keep colours truer in the dark and make every tone rougher. Measured; this is the middle.
 */
export const leastLight = Math.round(-0.12 * one);
export const mostLight = Math.round(1.2 * one);

/** Lightness counts a little more than colour: what the eye resolves finest should be roughest last. Measured. */
const lightnessWeight = 1.2;

const steps = 1 << bitsPerStep;
const leastRoot = -Math.sqrt(-leastLight / one);
// A hair less than the range holds, so that its very end still falls into the last step.
const stepsPerRoot = (steps - 1e-6) / (Math.sqrt(mostLight / one) - leastRoot);

/**
 * The step along an axis, by `(light - leastLight) >> lightPerStepShift`. A position in the table is red's step, green's
 * and blue's, `bitsPerStep` each.
 */
export const stepOfLight: Uint8Array = Uint8Array.from(
  { length: ((mostLight - leastLight) >> lightPerStepShift) + 1 },
  (_, entry) => {
    const light = Math.min(leastLight + (entry + 0.5) * (1 << lightPerStepShift), mostLight) / one;
    return Math.floor((Math.sign(light) * Math.sqrt(Math.abs(light)) - leastRoot) * stepsPerRoot);
  },
);

/** Builds the table for inks in relative light: an ink's number for every position. */
export function buildNearestTable(inks: Float64Array): Uint8Array {
  const count = inks.length / 3;
  const labs = new Float64Array(inks.length);
  for (let at = 0; at < inks.length; at += 3) {
    writeOklab(inks[at] as number, inks[at + 1] as number, inks[at + 2] as number, labs, at);
  }
  const light = Float64Array.from({ length: steps }, (_, step) => {
    const root = (step + 0.5) / stepsPerRoot + leastRoot;
    return root * Math.abs(root);
  });
  const nearest = new Uint8Array(steps ** 3);
  const lab = new Float64Array(3);
  let to = 0;
  for (const red of light) {
    for (const green of light) {
      for (const blue of light) {
        writeOklab(red, green, blue, lab, 0);
        let best = 0;
        let bestDistance = Number.POSITIVE_INFINITY;
        for (let ink = 0; ink < count; ink++) {
          const lightness = (lab[0] as number) - (labs[ink * 3] as number);
          const a = (lab[1] as number) - (labs[ink * 3 + 1] as number);
          const b = (lab[2] as number) - (labs[ink * 3 + 2] as number);
          const distance = lightnessWeight * lightness * lightness + a * a + b * b;
          if (distance < bestDistance) {
            bestDistance = distance;
            best = ink;
          }
        }
        nearest[to++] = best;
      }
    }
  }
  return nearest;
}

/** The ink nearest to a light whose channels lie within the range. The longest loop has its own lines for it. */
export function nearestInk(nearest: Uint8Array, red: number, green: number, blue: number): number {
  return nearest[
    ((stepOfLight[(red - leastLight) >> lightPerStepShift] as number) << (2 * bitsPerStep)) |
      ((stepOfLight[(green - leastLight) >> lightPerStepShift] as number) << bitsPerStep) |
      (stepOfLight[(blue - leastLight) >> lightPerStepShift] as number)
  ] as number;
}
