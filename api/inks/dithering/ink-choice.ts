/**
 * Decides how a palette's inks are chosen and how much its pixels may owe each other, by the debts that the inks can
 * pay back.
 *
 * The ink nearest by OKLab makes the smoothest tones, but it is safe only where inks can pay for each other: a red that
 * stands in for gray owes green and blue, and on a panel of black, white and red nobody ever pays that. There distances
 * in linear light decide, in which errors add up: a debt outside the inks' reach then has no say in the choice.
 */
import { blueWeight, greenWeight, redWeight, writeOklab } from './colour.ts';
import { findNearestMixture } from './gamut-table.ts';

/** Writes the place of a relative light in the space of a distance to the first three numbers of `out`. */
export type WriteSpace = (red: number, green: number, blue: number, out: Float64Array) => void;

/** The way in which inks are chosen. */
export interface InkChoice {
  readonly writeSpace: WriteSpace;
  /** The light that a light counts more than it is: the first light dots of a dark tone come sooner. */
  readonly lead: number;
  /** The range of light, from the deepest debt that a channel keeps to the most light. */
  readonly range: readonly [least: number, most: number];
  /** The share of a wish that disturbs its choice in flat areas, whose dots would fall into stripes otherwise. */
  readonly noise: number;
  /**
   * The matrix, row by row, that takes linear light to the span of the inks, so that no pixel wishes for light outside
   * it.
   */
  readonly ontoInks: readonly number[];
}

/** Lightness counts a little more than colour: the eye resolves it finest, so it should be roughest last. Measured. */
const lightnessWeight = 1.2;

const writePerceived: WriteSpace = (red, green, blue, out) => {
  writeOklab(red, green, blue, out);
  out[0] = Math.sqrt(lightnessWeight) * (out[0] as number);
};

/**
 * Writes luminance, then two differences that make a colour. Measured: more of the latter keeps colours out of grays
 * and roughens colours.
 */
const writeLinear: WriteSpace = (red, green, blue, out) => {
  out[0] = (redWeight * red + greenWeight * green + blueWeight * blue) / 256;
  out[1] = red - green;
  out[2] = 0.7 * (blue - green);
};

/** The distance below which an ink counts as a gray, or as lying in the span of others. */
const minApart = 0.05;

/**
 * The most noise. Measured: less leaves stripes, more is only rougher. A tone between two of many grays needs no more
 * noise than they differ by.
 */
const maxNoise = 0.3;

/** Chooses for a palette; `inks` are in relative light. */
export function chooseBy(inks: Float64Array): InkChoice {
  const span = spanOf(inks);
  const common = {
    ontoInks: span.length >= 3 ? asItIs : projection(span),
    noise: span.length === 1 ? Math.min(maxNoise, 3 / inks.length) : maxNoise,
  };
  // Deeper debts keep colours truer in the dark and make every tone rougher. Measured; this is the middle.
  if (isBalanced(inks)) return { ...common, writeSpace: writePerceived, lead: 0, range: [-0.12, 1.2] };
  // In other palettes a debt that is cut is light that never comes back. On a line any choice is paid back, and little
  // is owed.
  if (span.length === 1) return { ...common, writeSpace: writePerceived, lead: 0, range: [-0.3, 1.2] };
  return { ...common, writeSpace: writeLinear, lead: 0.12, range: [-0.6, 1.35] };
}

/** The gray that coloured inks have to mix to be called balanced. Measured on the palettes of the panels. */
const balancedGray = 0.3;
const balancedWithin = 0.01;

/** Returns whether the coloured inks mix a gray without black and white: each hue has others that pay for it. */
function isBalanced(inks: Float64Array): boolean {
  const coloured = [];
  for (let at = 0; at < inks.length; at += 3) {
    const ink = [...inks.subarray(at, at + 3)];
    if (Math.max(...ink) - Math.min(...ink) > minApart) coloured.push(...ink);
  }
  if (coloured.length === 0) return false;
  const wanted = new Float64Array(3);
  writeOklab(balancedGray, balancedGray, balancedGray, wanted);
  const mixture = {
    shares: new Float64Array(coloured.length / 3).fill(3 / coloured.length),
    light: new Float64Array(3),
  };
  const distance = findNearestMixture(Float64Array.from(coloured), wanted, mixture);
  return distance < balancedWithin ** 2;
}

const asItIs = [1, 0, 0, 0, 1, 0, 0, 0, 1] as const;

/** A direction, and its place in the linear space, where it has length one. */
interface Direction {
  readonly light: readonly number[];
  readonly place: readonly number[];
}

const dot = (a: readonly number[], b: readonly number[]): number =>
  a.reduce((sum, part, at) => sum + part * (b[at] as number), 0);

/**
 * Returns directions at right angles that lead to all inks: one for grays, two with one colour, three for all others.
 */
function spanOf(inks: Float64Array): Direction[] {
  const span: Direction[] = [];
  for (let at = 0; at < inks.length; at += 3) {
    let light = [...inks.subarray(at, at + 3)];
    let place = placeOf(light);
    for (const known of span) {
      const share = dot(place, known.place);
      light = light.map((part, channel) => part - share * (known.light[channel] as number));
      place = place.map((part, channel) => part - share * (known.place[channel] as number));
    }
    const length = Math.sqrt(dot(place, place));
    // The first direction is white, or an ink: black has no light and leads nowhere.
    if (length < minApart) continue;
    span.push({ light: light.map((part) => part / length), place: place.map((part) => part / length) });
  }
  return span;
}

function placeOf([red = 0, green = 0, blue = 0]: readonly number[]): number[] {
  const place = new Float64Array(3);
  writeLinear(red, green, blue, place);
  return [...place];
}

/** Returns the matrix that takes light to the nearest light that the directions lead to. */
function projection(span: readonly Direction[]): number[] {
  const units = [0, 3, 6].map((from) => placeOf(asItIs.slice(from, from + 3)));
  return [0, 1, 2].flatMap((to) =>
    units.map((unit) => span.reduce((sum, { light, place }) => sum + dot(unit, place) * (light[to] as number), 0)),
  );
}
