/**
 * The last step of dithering: neighbours of different inks change places where that brings the picture, seen from
 * reading distance, closer to what was wished. Diffusion sets each dot when it is due; dots of several inks are due
 * independently of each other and bunch together, most of all in the dark. Changing places keeps every ink's share and
 * undoes the bunches.
 *
 * "Seen from reading distance" is the error of luminance blurred twice over by the eye. Four runs of a box of three are
 * close enough to that blur, and are whole numbers: 1 4 10 16 19 16 10 4 1 along each axis, 6561 in all.
 */
import type { MoveRules } from './move-rules.ts';
import type { PaletteTables } from './palette.ts';
import type { Sheet } from './sheet.ts';

const weights = Int32Array.of(1, 4, 10, 16, 19, 16, 10, 4, 1);
const radius = 4;

/** Rows that are held at once; a power of two, more than two radii and two rows. */
const ringRows = 16;

/**
 * Lets a dithered sheet settle, as often as `times`. `lightness` is kept in step with the inks; what is `fixed` stays.
 * A time more is worth half as much as the one before.
 */
export function settle(
  sheet: Sheet,
  { moves, luminances }: Pick<PaletteTables, 'moves' | 'luminances'>,
  times: number,
): void {
  const before = times > 1 ? sheet.indices.slice() : sheet.indices;
  for (let time = 1; time <= times; time++) {
    settleOnce(sheet, moves);
    if (time === times) return;
    const { indices, lightness } = sheet;
    for (let pixel = 0; pixel < indices.length; pixel++) {
      const [now, then] = [indices[pixel] as number, before[pixel] as number];
      if (now === then) continue;
      lightness[pixel] = (lightness[pixel] as number) + (luminances[now] as number) - (luminances[then] as number);
      before[pixel] = now;
    }
  }
}

function settleOnce(sheet: Sheet, rules: MoveRules): void {
  const { width, height } = sheet;
  const stride = width + 2 * radius + 2;
  const across = new Int32Array(ringRows * stride);
  const ring = new Int32Array(ringRows * stride);
  for (let row = 0; row < radius; row++) blurAcross(sheet, row, across, stride);
  // Row by row: blurred across, then down, then its pixels move; a move reaches no row that is yet to be blurred down.
  for (let row = -radius - 1; row < height; row++) {
    blurAcross(sheet, row + 2 * radius + 1, across, stride);
    blurDown(across, ring, row + radius + 1, stride);
    if (row >= 0) moveRow(sheet, rules, row, ring, stride);
  }
}

function blurAcross({ width, height, lightness }: Sheet, row: number, across: Int32Array, stride: number): void {
  const to = (row & (ringRows - 1)) * stride + radius;
  across.fill(0, to - radius, to - radius + stride);
  if (row >= height) return;
  const from = row * width;
  const at = (x: number): number => (x >= 0 && x < width ? (lightness[from + x] as number) : 0);
  const edge = (x: number): number => {
    let sum = 0;
    for (let k = -radius; k <= radius; k++) sum += (weights[k + radius] as number) * at(x + k);
    return sum;
  };
  for (let x = 0; x < Math.min(radius, width); x++) across[to + x] = edge(x);
  for (let x = Math.max(width - radius, 0); x < width; x++) across[to + x] = edge(x);
  let a = lightness[from] as number;
  let b = lightness[from + 1] as number;
  let c = lightness[from + 2] as number;
  let d = lightness[from + 3] as number;
  let e = lightness[from + 4] as number;
  let f = lightness[from + 5] as number;
  let g = lightness[from + 6] as number;
  let h = lightness[from + 7] as number;
  for (let x = radius; x < width - radius; x++) {
    const i = lightness[from + x + radius] as number;
    across[to + x] = a + i + 4 * (b + h) + 10 * (c + g) + 16 * (d + f) + 19 * e;
    a = b;
    b = c;
    c = d;
    d = e;
    e = f;
    f = g;
    g = h;
    h = i;
  }
}

function blurDown(across: Int32Array, ring: Int32Array, row: number, stride: number): void {
  const mask = ringRows - 1;
  const to = (row & mask) * stride;
  const [a, b, c, d, e, f, g, h, i] = [-4, -3, -2, -1, 0, 1, 2, 3, 4].map((off) => ((row + off) & mask) * stride) as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  for (let x = 0; x < stride; x++) {
    ring[to + x] =
      (across[a + x] as number) +
      (across[i + x] as number) +
      4 * ((across[b + x] as number) + (across[h + x] as number)) +
      10 * ((across[c + x] as number) + (across[g + x] as number)) +
      16 * ((across[d + x] as number) + (across[f + x] as number)) +
      19 * (across[e + x] as number);
  }
}

function moveRow(
  { width, height, indices }: Sheet,
  { moved, payingSlope }: MoveRules,
  row: number,
  ring: Int32Array,
  stride: number,
): void {
  const here = (row & (ringRows - 1)) * stride + radius;
  const below = ((row + 1) & (ringRows - 1)) * stride + radius;
  const first = row * width;
  const hasBelow = row + 1 < height;
  for (let x = 0; x < width; x++) {
    const pixel = first + x;
    const ink = indices[pixel] as number;
    if (x + 1 < width) {
      const right = indices[pixel + 1] as number;
      if (right !== ink) {
        const pair = (ink << 5) | right;
        const slope = (ring[here + x + 1] as number) - (ring[here + x] as number);
        const step = moved[pair] as number;
        if ((step > 0 ? slope : -slope) > (payingSlope[pair] as number)) {
          indices[pixel] = right;
          indices[pixel + 1] = ink;
          spreadAcross(ring, stride, x, row, step);
          continue;
        }
      }
    }
    if (!hasBelow) continue;
    const under = indices[pixel + width] as number;
    if (under === ink) continue;
    const pair = (ink << 5) | under;
    const slope = (ring[below + x] as number) - (ring[here + x] as number);
    const step = moved[pair] as number;
    if ((step > 0 ? slope : -slope) > (payingSlope[pair] as number)) {
      indices[pixel] = under;
      indices[pixel + width] = ink;
      spreadDown(ring, stride, x, row, step);
    }
  }
}

/**
 * A pixel became lighter by `step` and its right neighbour darker: adds that to the blurred error around them. Rows above
 * are done with.
 */
function spreadAcross(ring: Int32Array, stride: number, x: number, row: number, step: number): void {
  for (let down = 0; down <= radius; down++) {
    const part = step * (weights[radius + down] as number);
    const at = ((row + down) & (ringRows - 1)) * stride + x;
    ring[at] = (ring[at] as number) + part;
    ring[at + 1] = (ring[at + 1] as number) + part * 3;
    ring[at + 2] = (ring[at + 2] as number) + part * 6;
    ring[at + 3] = (ring[at + 3] as number) + part * 6;
    ring[at + 4] = (ring[at + 4] as number) + part * 3;
    ring[at + 5] = (ring[at + 5] as number) - part * 3;
    ring[at + 6] = (ring[at + 6] as number) - part * 6;
    ring[at + 7] = (ring[at + 7] as number) - part * 6;
    ring[at + 8] = (ring[at + 8] as number) - part * 3;
    ring[at + 9] = (ring[at + 9] as number) - part;
  }
}

/** What the two weights of a pixel and of the one below it differ by, from their own rows down. */
const downwards = Int32Array.of(3, -3, -6, -6, -3, -1);

/** The same of a pixel and the one below it. */
function spreadDown(ring: Int32Array, stride: number, x: number, row: number, step: number): void {
  for (let down = 0; down < downwards.length; down++) {
    const part = step * (downwards[down] as number);
    const at = ((row + down) & (ringRows - 1)) * stride + x;
    ring[at] = (ring[at] as number) + part;
    ring[at + 1] = (ring[at + 1] as number) + part * 4;
    ring[at + 2] = (ring[at + 2] as number) + part * 10;
    ring[at + 3] = (ring[at + 3] as number) + part * 16;
    ring[at + 4] = (ring[at + 4] as number) + part * 19;
    ring[at + 5] = (ring[at + 5] as number) + part * 16;
    ring[at + 6] = (ring[at + 6] as number) + part * 10;
    ring[at + 7] = (ring[at + 7] as number) + part * 4;
    ring[at + 8] = (ring[at + 8] as number) + part;
  }
}
