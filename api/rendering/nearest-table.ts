/**
 * Which ink is nearest to a light, by OKLab, looked up instead of computed. Each axis is the signed square root of
 * relative light, because dark tones need the resolution. Light below none is real here: it is a debt left by
 * neighbours that came out too light, and it must keep white from being chosen again.
 */
import { writeOklab } from './colour.ts';

/**
 * The range of light that is told apart; anything outside counts as the end of the range. A debt may grow to `leastLight`
 * and no further: deeper ones keep colours truer in the dark and make every tone rougher. Measured; this is the middle.
 */
export const leastLight = -0.12;
export const mostLight = 1.2;

const bits = 6;
const steps = 1 << bits;
const leastRoot = -Math.sqrt(-leastLight);
// A hair less than the range holds, so that its very end still falls into the last step.
const stepsPerRoot = (steps - 1e-6) / (Math.sqrt(mostLight) - leastRoot);

/** The step of each light, looked up by evenly spaced light: cheaper than a square root a channel. */
const entriesPerLight = 4096;
const stepOfLight = Uint8Array.from(
  { length: Math.ceil((mostLight - leastLight) * entriesPerLight) + 1 },
  (_, entry) => {
    const light = Math.min(leastLight + (entry + 0.5) / entriesPerLight, mostLight);
    return Math.floor((Math.sign(light) * Math.sqrt(Math.abs(light)) - leastRoot) * stepsPerRoot);
  },
);

/** Position in the table of a light whose channels all lie within the range. */
export function nearestAt(red: number, green: number, blue: number): number {
  const r = stepOfLight[((red - leastLight) * entriesPerLight) | 0] as number;
  const g = stepOfLight[((green - leastLight) * entriesPerLight) | 0] as number;
  const b = stepOfLight[((blue - leastLight) * entriesPerLight) | 0] as number;
  return (r << (2 * bits)) | (g << bits) | b;
}

/** Builds the table for inks in relative light: an ink's position for every position that `nearestAt` gives. */
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
          const distance = lightness * lightness + a * a + b * b;
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
