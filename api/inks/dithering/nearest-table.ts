/**
 * Looks up which ink is nearest to a light, instead of computing it. Each axis is the signed square root of relative
 * light, because dark tones need the resolution. Light below none is real here: it is a debt left by neighbours that
 * came out too light, and it must keep white from being chosen again.
 */
import { one } from './colour.ts';
import type { WriteSpace } from './ink-choice.ts';
import { bitsPerStep, lightPerStepShift } from './loops/places.ts';

const stepCount = 1 << bitsPerStep;

/**
 * The range of light within which values are distinguished, in units; anything outside counts as the end of the range.
 */
export interface LightScale {
  readonly least: number;
  readonly most: number;
  /**
   * The step along an axis, by `(light - least) >> lightPerStepShift`. A position in the table is red's step, green's
   * and blue's, `bitsPerStep` each.
   */
  readonly steps: Uint8Array;
  /** The middle of each step, in relative light. */
  readonly middles: Float64Array;
}

/** Builds the scale of a range of light; at most 2, which is what the loops have room for. */
export function buildScale([minLight, maxLight]: readonly [number, number]): LightScale {
  const [least, most] = [Math.round(minLight * one), Math.round(maxLight * one)];
  const minRoot = -Math.sqrt(-least / one);
  // A hair less than the range holds, so that its very end still falls into the last step.
  const stepsPerRoot = (stepCount - 1e-6) / (Math.sqrt(most / one) - minRoot);
  return {
    least,
    most,
    steps: Uint8Array.from({ length: ((most - least) >> lightPerStepShift) + 1 }, (_, entry) => {
      const light = Math.min(least + (entry + 0.5) * (1 << lightPerStepShift), most) / one;
      return Math.floor((Math.sign(light) * Math.sqrt(Math.abs(light)) - minRoot) * stepsPerRoot);
    }),
    middles: Float64Array.from({ length: stepCount }, (_, step) => {
      const root = (step + 0.5) / stepsPerRoot + minRoot;
      return root * Math.abs(root);
    }),
  };
}

/** Returns a light within the range of a scale. */
export function within({ least, most }: LightScale, light: number): number {
  return Math.min(Math.max(light, least), most);
}

/**
 * Builds the table for inks in relative light: an ink's number for every position.
 * @param writeSpace the space in which distances count; `lead` is added to the first coordinate of the light that is
 *   looked up
 */
export function buildNearestTable(
  inks: Float64Array,
  { middles }: LightScale,
  { writeSpace, lead }: { readonly writeSpace: WriteSpace; readonly lead: number },
): Uint8Array {
  const count = inks.length / 3;
  const places = new Float64Array(inks.length);
  for (let at = 0; at < inks.length; at += 3) {
    writeSpace(inks[at] as number, inks[at + 1] as number, inks[at + 2] as number, places.subarray(at));
  }
  const nearest = new Uint8Array(stepCount ** 3);
  const here = new Float64Array(3);
  let to = 0;
  for (const red of middles) {
    for (const green of middles) {
      for (const blue of middles) {
        writeSpace(red, green, blue, here);
        let best = 0;
        let bestDistance = Number.POSITIVE_INFINITY;
        for (let ink = 0; ink < count; ink++) {
          const x = (here[0] as number) + lead - (places[ink * 3] as number);
          const y = (here[1] as number) - (places[ink * 3 + 1] as number);
          const z = (here[2] as number) - (places[ink * 3 + 2] as number);
          const distance = x * x + y * y + z * z;
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

/**
 * Returns the ink nearest to a light whose channels lie within the range. The longest loop has its own lines for it.
 */
export function nearestInk(
  { nearest, scale }: { readonly nearest: Uint8Array; readonly scale: LightScale },
  red: number,
  green: number,
  blue: number,
): number {
  const { least, steps } = scale;
  return nearest[
    ((steps[(red - least) >> lightPerStepShift] as number) << (2 * bitsPerStep)) |
      ((steps[(green - least) >> lightPerStepShift] as number) << bitsPerStep) |
      (steps[(blue - least) >> lightPerStepShift] as number)
  ] as number;
}
