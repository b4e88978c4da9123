/**
 * Which light a panel can show in place of each source colour: colours outside the hull of the inks go to the nearest
 * mixture of inks, near by OKLab in relative light. The table holds what to add to a source colour, so that
 * colours the paper can show stay untouched when the table is interpolated.
 */
import { linearOfByte, writeOklab } from './colour.ts';

/** Nodes along each axis; the axes are sRGB bytes, evenly spaced. */
const nodesPerAxis = 17;

/** The table. Nodes and cells are ordered with red outermost and blue innermost. */
export interface GamutTable {
  /** Relative light to add at each node, three numbers a node. */
  readonly shifts: Float64Array;
  /** 1 at the first number of a node where some corner of the cell beginning there is shifted; most are not. */
  readonly isShifted: Uint8Array;
}

const redStep = nodesPerAxis * nodesPerAxis * 3;
const greenStep = nodesPerAxis * 3;
const blueStep = 3;

const smallestShift = 1 / 1024;

/**
 * Finds the mixture of inks nearest to a colour by moving shares from ink to ink, in ever smaller portions.
 * `shares` is where the search starts and is left at the answer; `light` receives the mixture's relative light.
 * @returns squared distance in OKLab
 */
function findNearestMixture(
  inks: Float64Array,
  wanted: Float64Array,
  shares: Float64Array,
  light: Float64Array,
): number {
  const count = shares.length;
  const seen = new Float64Array(3);
  const distance = (r: number, g: number, b: number): number => {
    writeOklab(r, g, b, seen, 0);
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
  for (let shift = 0.25; shift >= smallestShift; ) {
    let improved = false;
    for (let from = 0; from < count; from++) {
      for (let to = 0; to < count; to++) {
        const portion = Math.min(shift, shares[from] as number);
        if (from === to || portion === 0) continue;
        const r = (light[0] as number) + portion * ((inks[to * 3] as number) - (inks[from * 3] as number));
        const g = (light[1] as number) + portion * ((inks[to * 3 + 1] as number) - (inks[from * 3 + 1] as number));
        const b = (light[2] as number) + portion * ((inks[to * 3 + 2] as number) - (inks[from * 3 + 2] as number));
        const tried = distance(r, g, b);
        if (tried >= best) continue;
        best = tried;
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

/** Builds the table of a panel's inks (`relativeInks`). Costs a fifth of a second: keep it. */
export function buildGamutTable(inks: Float64Array): GamutTable {
  const shifts = new Float64Array(nodesPerAxis ** 3 * 3);
  const shares = new Float64Array(inks.length / 3);
  const wanted = new Float64Array(3);
  const light = new Float64Array(3);
  const axis = Float64Array.from({ length: nodesPerAxis }, (_, node) => {
    return linearOfByte[Math.round((node * 255) / (nodesPerAxis - 1))] as number;
  });
  let at = 0;
  for (const red of axis) {
    for (const green of axis) {
      for (const blue of axis) {
        writeOklab(red, green, blue, wanted, 0);
        shares.fill(1 / shares.length);
        const distance = findNearestMixture(inks, wanted, shares, light);
        if (distance > shownWithin) {
          shifts[at] = (light[0] as number) - red;
          shifts[at + 1] = (light[1] as number) - green;
          shifts[at + 2] = (light[2] as number) - blue;
        }
        at += 3;
      }
    }
  }
  return { shifts, isShifted: findShiftedCells(shifts) };
}

function findShiftedCells(shifts: Float64Array): Uint8Array {
  const corners = [0, 1, 2, 3, 4, 5, 6, 7].map(
    (corner) => (corner & 4 ? redStep : 0) + (corner & 2 ? greenStep : 0) + (corner & 1 ? blueStep : 0),
  );
  const channels = corners.flatMap((corner) => [corner, corner + 1, corner + 2]);
  return Uint8Array.from(shifts, (_, at) => (channels.some((offset) => (shifts[at + offset] ?? 0) !== 0) ? 1 : 0));
}

const cellOfByte = new Int32Array(256);
const fractionOfByte = new Float64Array(256);
for (let byte = 0; byte < 256; byte++) {
  const place = (byte * (nodesPerAxis - 1)) / 255;
  cellOfByte[byte] = Math.min(Math.floor(place), nodesPerAxis - 2);
  fractionOfByte[byte] = place - (cellOfByte[byte] as number);
}
/** Writes to `out` the relative light wanted for a source colour: tetrahedral interpolation of the gamut table. */
export function mapColour(gamut: GamutTable, red: number, green: number, blue: number, out: Float64Array): void {
  const { shifts, isShifted } = gamut;
  out[0] = linearOfByte[red] as number;
  out[1] = linearOfByte[green] as number;
  out[2] = linearOfByte[blue] as number;
  const base =
    (cellOfByte[red] as number) * redStep +
    (cellOfByte[green] as number) * greenStep +
    (cellOfByte[blue] as number) * blueStep;
  if (isShifted[base] === 0) return;
  const fr = fractionOfByte[red] as number;
  const fg = fractionOfByte[green] as number;
  const fb = fractionOfByte[blue] as number;
  // The path from the cell's dark corner to its light one, along the largest fraction first.
  const high = Math.max(fr, fg, fb);
  const low = Math.min(fr, fg, fb);
  const middle = fr + fg + fb - high - low;
  const first = fr === high ? redStep : fg === high ? greenStep : blueStep;
  const last = fb === low ? blueStep : fg === low ? greenStep : redStep;
  const at0 = base;
  const at1 = base + first;
  const at3 = base + redStep + greenStep + blueStep;
  const at2 = at3 - last;
  const w0 = 1 - high;
  const w1 = high - middle;
  const w2 = middle - low;
  for (let channel = 0; channel < 3; channel++) {
    out[channel] =
      (out[channel] as number) +
      w0 * (shifts[at0 + channel] as number) +
      w1 * (shifts[at1 + channel] as number) +
      w2 * (shifts[at2 + channel] as number) +
      low * (shifts[at3 + channel] as number);
  }
}
