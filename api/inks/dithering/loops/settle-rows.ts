// biome-ignore-all lint/complexity/useMaxParams: compiled functions take numbers alone; a value with names would lie in memory that nobody frees.
/** The loops of settling: two that blur, four pixels at once, and one that lets the dots of a row move. */
import { movesAt, radius, ringRows } from './places.ts';

/** The weights 1 4 10 16 19 16 10 4 1 of nine vectors. */
function weigh(a: v128, b: v128, c: v128, d: v128, e: v128, f: v128, g: v128, h: v128, i: v128): v128 {
  const ends = i32x4.add(i32x4.add(a, i), i32x4.shl(i32x4.add(b, h), 2));
  const middle = i32x4.add(i32x4.shl(i32x4.add(d, f), 4), i32x4.mul(e, i32x4.splat(19)));
  return i32x4.add(i32x4.add(ends, middle), i32x4.mul(i32x4.add(c, g), i32x4.splat(10)));
}

/**
 * Blurs `width` numbers into `to`, in whole vectors. They go by way of `line`, which has nothing before and after them:
 * the blur need not know where a row ends.
 */
export function blurAcross(numbers: usize, line: usize, to: usize, width: i32): void {
  memory.copy(line, numbers, width << 2);
  let from = line;
  for (let x = 0; x < width; x += 4, from += 16, to += 16) {
    const blurred = weigh(
      v128.load(from - 16),
      v128.load(from - 12),
      v128.load(from - 8),
      v128.load(from - 4),
      v128.load(from),
      v128.load(from, 4),
      v128.load(from, 8),
      v128.load(from, 12),
      v128.load(from, 16),
    );
    v128.store(to, blurred);
  }
}

/** Leaves none in `count` bytes. */
export function clear(at: usize, count: i32): void {
  memory.fill(at, 0, count);
}

/** Where a row lies in a ring of rows of `stride` bytes. */
function rowIn(ring: usize, row: i32, stride: i32): usize {
  return ring + (row & (ringRows - 1)) * stride;
}

/** Blurs row `row` of the ring `across` downwards into the ring `to`; `stride` bytes a row, whole vectors. */
export function blurDown(across: usize, to: usize, row: i32, stride: i32): void {
  const a = rowIn(across, row - 4, stride);
  const b = rowIn(across, row - 3, stride);
  const c = rowIn(across, row - 2, stride);
  const d = rowIn(across, row - 1, stride);
  const e = rowIn(across, row, stride);
  const f = rowIn(across, row + 1, stride);
  const g = rowIn(across, row + 2, stride);
  const h = rowIn(across, row + 3, stride);
  const i = rowIn(across, row + 4, stride);
  const out = rowIn(to, row, stride);
  for (let x = 0; x < stride; x += 16) {
    const blurred = weigh(
      v128.load(a + x),
      v128.load(b + x),
      v128.load(c + x),
      v128.load(d + x),
      v128.load(e + x),
      v128.load(f + x),
      v128.load(g + x),
      v128.load(h + x),
      v128.load(i + x),
    );
    v128.store(out + x, blurred);
  }
}

/** Whether a move that lightens by `step` (luminance) pays where the error of luminance rises by `slope`. */
function pays(rule: usize, slope: i32): bool {
  const side = load<i32>(rule) >> 31;
  return (slope ^ side) - side > load<i32>(rule, 4);
}

/**
 * Lets the dots of a row change places with those on their right and below. `indices` and `lightness` point to the row
 * of `width` pixels, `ring` holds rows of `stride` bytes of blurred error, the first pixel `radius` numbers in.
 */
export function moveRow(
  indices: usize,
  lightness: usize,
  ring: usize,
  row: i32,
  width: i32,
  stride: i32,
  hasBelow: bool,
): void {
  const here = rowIn(ring, row, stride) + 4 * radius;
  const below = rowIn(ring, row + 1, stride) + 4 * radius;
  const last = width - 1;
  for (let x = 0; x < width; x++) {
    const pixel = indices + x;
    const ink = <i32>load<u8>(pixel);
    const error = load<i32>(here + (x << 2));
    if (x < last) {
      const right = <i32>load<u8>(pixel, 1);
      const rule = movesAt + (((ink << 5) | right) << 3);
      if (pays(rule, load<i32>(here + (x << 2), 4) - error)) {
        const step = load<i32>(rule);
        exchange(pixel, ink, pixel + 1, right);
        shift(lightness + (x << 2), step);
        shift(lightness + (x << 2) + 4, -step);
        spreadAcross(ring, stride, x, row, step);
        continue;
      }
    }
    if (!hasBelow) continue;
    const under = <i32>load<u8>(pixel + width);
    const rule = movesAt + (((ink << 5) | under) << 3);
    if (pays(rule, load<i32>(below + (x << 2)) - error)) {
      const step = load<i32>(rule);
      exchange(pixel, ink, pixel + width, under);
      shift(lightness + (x << 2), step);
      shift(lightness + ((x + width) << 2), -step);
      spreadDown(ring, stride, x, row, step);
    }
  }
}

function exchange(one: usize, ink: i32, other: usize, otherInk: i32): void {
  store<u8>(one, otherInk);
  store<u8>(other, ink);
}

function shift(at: usize, by: i32): void {
  store<i32>(at, load<i32>(at) + by);
}

/** Adds three vectors, each `times` over, to twelve numbers. */
function addTo(at: usize, a: v128, b: v128, c: v128, times: i32): void {
  const factor = i32x4.splat(times);
  v128.store(at, i32x4.add(v128.load(at), i32x4.mul(a, factor)));
  v128.store(at, i32x4.add(v128.load(at, 16), i32x4.mul(b, factor)), 16);
  v128.store(at, i32x4.add(v128.load(at, 32), i32x4.mul(c, factor)), 32);
}

/**
 * A pixel became lighter by `step` and its right neighbour darker: adds that to the blurred error around them. Rows above
 * are done with.
 */
function spreadAcross(ring: usize, stride: i32, x: i32, row: i32, step: i32): void {
  const by = i32x4.splat(step);
  const a = i32x4.mul(by, i32x4(1, 3, 6, 6));
  const b = i32x4.mul(by, i32x4(3, -3, -6, -6));
  const c = i32x4.mul(by, i32x4(-3, -1, 0, 0));
  addTo(rowIn(ring, row, stride) + (x << 2), a, b, c, 19);
  addTo(rowIn(ring, row + 1, stride) + (x << 2), a, b, c, 16);
  addTo(rowIn(ring, row + 2, stride) + (x << 2), a, b, c, 10);
  addTo(rowIn(ring, row + 3, stride) + (x << 2), a, b, c, 4);
  addTo(rowIn(ring, row + 4, stride) + (x << 2), a, b, c, 1);
}

/** The same of a pixel and the one below it: what their weights differ by, from their own rows down. */
function spreadDown(ring: usize, stride: i32, x: i32, row: i32, step: i32): void {
  const by = i32x4.splat(step);
  const a = i32x4.mul(by, i32x4(1, 4, 10, 16));
  const b = i32x4.mul(by, i32x4(19, 16, 10, 4));
  const c = i32x4.mul(by, i32x4(1, 0, 0, 0));
  addTo(rowIn(ring, row, stride) + (x << 2), a, b, c, 3);
  addTo(rowIn(ring, row + 1, stride) + (x << 2), a, b, c, -3);
  addTo(rowIn(ring, row + 2, stride) + (x << 2), a, b, c, -6);
  addTo(rowIn(ring, row + 3, stride) + (x << 2), a, b, c, -6);
  addTo(rowIn(ring, row + 4, stride) + (x << 2), a, b, c, -3);
  addTo(rowIn(ring, row + 5, stride) + (x << 2), a, b, c, -1);
}

/** Leaves the low four bits of `count` bytes: ink numbers alone. Whole vectors are written. */
export function dropMarks(indices: usize, count: i32): void {
  const inks = i8x16.splat(0xf);
  for (let at = 0; at < count; at += 16) v128.store(indices + at, v128.and(v128.load(indices + at), inks));
}
