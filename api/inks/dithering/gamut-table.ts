/**
 * Finds the light that a panel can show in place of each source colour: colours outside the hull of the inks go to the
 * nearest mixture of inks, near by OKLab in relative light. The table holds the light to add to a source colour, so
 * that colours the paper can show stay untouched by interpolation.
 */
import { linearOfByte, one, writeOklab } from './colour.ts';
import { tableNodes } from './loops/places.ts';

/** The nodes along each axis that are searched for; the axes are sRGB bytes, evenly spaced. */
export const nodesPerAxis = 17;

/**
 * The numbers that are added to a pixel's bytes before its node is looked up: over eight neighbours the steps average
 * out.
 */
export const remainders = Uint8Array.of(0, 4, 1, 5, 6, 2, 7, 3);

const smallestShift = 1 / 1024;

/** A mixture of inks. */
export interface Mixture {
  /** The share of each ink. */
  readonly shares: Float64Array;
  /** The relative light of all. */
  readonly light: Float64Array;
}

/**
 * Finds the mixture of inks nearest to a colour by moving shares from ink to ink, in ever smaller portions.
 * @param mixture its shares are where the search starts; it is left at the answer
 * @param prices what a whole share of each ink costs besides the distance, for mixtures that avoid some inks
 * @returns squared distance in OKLab, prices included
 */
export function findNearestMixture(
  inks: Float64Array,
  wanted: Float64Array,
  { shares, light }: Mixture,
  prices?: Float64Array,
): number {
  const count = shares.length;
  const seen = new Float64Array(3);
  const distance = (r: number, g: number, b: number): number => {
    writeOklab(r, g, b, seen);
    let sum = 0;
    for (let channel = 0; channel < 3; channel++) {
      const difference = (seen[channel] as number) - (wanted[channel] as number);
      sum += difference * difference;
    }
    return sum;
  };
  light.fill(0);
  for (let ink = 0; ink < count; ink++) {
    for (let channel = 0; channel < 3; channel++) {
      light[channel] = (light[channel] as number) + (shares[ink] as number) * (inks[ink * 3 + channel] as number);
    }
  }
  let best = distance(light[0] as number, light[1] as number, light[2] as number);
  if (prices !== undefined)
    for (let ink = 0; ink < count; ink++) best += (shares[ink] as number) * (prices[ink] as number);
  let spent = prices === undefined ? 0 : best - distance(light[0] as number, light[1] as number, light[2] as number);
  for (let shift = 0.25; shift >= smallestShift; ) {
    let improved = false;
    for (let from = 0; from < count; from++) {
      for (let to = 0; to < count; to++) {
        const portion = Math.min(shift, shares[from] as number);
        if (from === to || portion === 0) continue;
        const r = (light[0] as number) + portion * ((inks[to * 3] as number) - (inks[from * 3] as number));
        const g = (light[1] as number) + portion * ((inks[to * 3 + 1] as number) - (inks[from * 3 + 1] as number));
        const b = (light[2] as number) + portion * ((inks[to * 3 + 2] as number) - (inks[from * 3 + 2] as number));
        const price = prices === undefined ? 0 : spent + portion * ((prices[to] as number) - (prices[from] as number));
        const tried = distance(r, g, b) + price;
        // A result that is not a number is not an improvement either, and ends the search.
        if (!(tried < best)) continue;
        best = tried;
        spent = price;
        improved = true;
        shares[from] = (shares[from] as number) - portion;
        shares[to] = (shares[to] as number) + portion;
        light[0] = r;
        light[1] = g;
        light[2] = b;
      }
    }
    if (!improved) shift /= 2;
  }
  return best;
}

/** Below this squared OKLab distance a colour counts as shown, not as mapped. */
const shownWithin = 1e-5;

/**
 * Builds the table of a panel's inks (`relativeInks`): light to add, in units, three numbers a node, red outermost and
 * blue innermost, a node for each eighth byte. It costs a fifth of a second: keep it.
 * @param ontoInks the matrix that a source's light goes through before that is added (`InkChoice`)
 */
export function buildGamutTable(allInks: Float64Array, ontoInks: readonly number[]): Int32Array {
  const inks = cornersOf(allInks);
  const shifts = new Float64Array(nodesPerAxis ** 3 * 3);
  const mixture: Mixture = { shares: new Float64Array(inks.length / 3), light: new Float64Array(3) };
  const wanted = new Float64Array(3);
  const axis = Float64Array.from({ length: nodesPerAxis }, (_, node) => {
    return linearOfByte[Math.round((node * 255) / (nodesPerAxis - 1))] as number;
  });
  let at = 0;
  for (const red of axis) {
    for (const green of axis) {
      for (const blue of axis) {
        writeOklab(red, green, blue, wanted);
        mixture.shares.fill(1 / mixture.shares.length);
        const distance = findNearestMixture(inks, wanted, mixture);
        if (distance > shownWithin) {
          for (let part = 0; part < 3; part++) {
            const plain =
              (ontoInks[part * 3] as number) * red +
              (ontoInks[part * 3 + 1] as number) * green +
              (ontoInks[part * 3 + 2] as number) * blue;
            shifts[at + part] = (mixture.light[part] as number) - plain;
          }
        }
        at += 3;
      }
    }
  }
  return refine(shifts);
}

/**
 * Returns the inks that span all others. Grays all lie between black and white: those two can mix whatever the others
 * can.
 */
function cornersOf(inks: Float64Array): Float64Array {
  const isGray = inks.every((part, at) => Math.abs(part - (inks[at - (at % 3)] as number)) < 1e-9);
  if (!isGray) return inks;
  return Float64Array.from([Math.min(...inks), Math.max(...inks)].flatMap((light) => [light, light, light]));
}

/** Interpolates the finer table: from there a lookup with a changing remainder is smooth enough. */
function refine(shifts: Float64Array): Int32Array {
  const fine = new Int32Array(tableNodes ** 3 * 3);
  const shift = new Float64Array(3);
  let to = 0;
  const byteOf = (node: number): number => Math.min(node * 8, 255);
  for (let red = 0; red < tableNodes; red++) {
    for (let green = 0; green < tableNodes; green++) {
      for (let blue = 0; blue < tableNodes; blue++) {
        interpolate(shifts, (byteOf(red) << 16) | (byteOf(green) << 8) | byteOf(blue), shift);
        for (const part of shift) fine[to++] = Math.round(part * one);
      }
    }
  }
  return fine;
}

/**
 * Writes to `out` the table's numbers for a colour 0xrrggbb, by tetrahedral interpolation. The table has `nodesPerAxis`
 * nodes an axis and `out.length` numbers a node.
 */
export function interpolate(table: Float64Array, colour: number, out: Float64Array): void {
  const [red, green, blue] = [colour >> 16, (colour >> 8) & 0xff, colour & 0xff];
  const blueStep = out.length;
  const greenStep = nodesPerAxis * blueStep;
  const redStep = nodesPerAxis * greenStep;
  const scale = (nodesPerAxis - 1) / 255;
  const cellRed = Math.min(Math.floor(red * scale), nodesPerAxis - 2);
  const cellGreen = Math.min(Math.floor(green * scale), nodesPerAxis - 2);
  const cellBlue = Math.min(Math.floor(blue * scale), nodesPerAxis - 2);
  const fr = red * scale - cellRed;
  const fg = green * scale - cellGreen;
  const fb = blue * scale - cellBlue;
  // The path from the cell's dark corner to its light one, along the largest fraction first.
  const high = Math.max(fr, fg, fb);
  const low = Math.min(fr, fg, fb);
  const middle = fr + fg + fb - high - low;
  const first = fr === high ? redStep : fg === high ? greenStep : blueStep;
  const last = fb === low ? blueStep : fg === low ? greenStep : redStep;
  const at0 = cellRed * redStep + cellGreen * greenStep + cellBlue * blueStep;
  const at1 = at0 + first;
  const at3 = at0 + redStep + greenStep + blueStep;
  const at2 = at3 - last;
  for (let part = 0; part < out.length; part++) {
    out[part] =
      (1 - high) * (table[at0 + part] as number) +
      (high - middle) * (table[at1 + part] as number) +
      (middle - low) * (table[at2 + part] as number) +
      low * (table[at3 + part] as number);
  }
}
