// biome-ignore-all lint/complexity/useMaxParams: compiled functions take numbers alone; a value with names would lie in memory that nobody frees.
/** The loops of tone: they find the pixels that it may change, so that all others are never looked at one by one. */
import { colourFrom, countsAt, grayWithin, levelsAt, tileBits } from './places.ts';

const bucketBits = 10;

/**
 * Counts the colours of a square's pixels, of which there are `width` by `height`; `row` is the bytes of a row. Every
 * fourth row is enough to know.
 * @param paper where the most frequent colour is stored, 0xrrggbb
 * @returns how often that occurs
 */
export function countColours(rgb: usize, row: i32, width: i32, height: i32, paper: usize): i32 {
  memory.fill(countsAt, 0, 1 << bucketBits);
  let most: u32 = 0;
  for (let y = 0; y < height; y += 4) {
    let from = rgb + y * row;
    for (const end = from + width * 3; from < end; from += 3) {
      const colour = ((<u32>load<u8>(from)) << 16) | ((<u32>load<u8>(from, 1)) << 8) | <u32>load<u8>(from, 2);
      const bucket = (colour * 0x9e3779b1) >> (32 - bucketBits);
      const count = <u32>load<u8>(bucket, countsAt) + 1;
      store<u8>(bucket, count, countsAt);
      if (count <= most) continue;
      most = count;
      store<u32>(paper, colour);
    }
  }
  return most;
}

/** The greens of sixteen pixels. */
function greensOf(rgb: usize): v128 {
  const two = i8x16.shuffle(v128.load(rgb), v128.load(rgb, 16), 1, 4, 7, 10, 13, 16, 19, 22, 25, 28, 31, 0, 0, 0, 0, 0);
  return i8x16.shuffle(two, v128.load(rgb, 32), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 18, 21, 24, 27, 30);
}

/** For each of sixteen pixels, all bits where one of its bytes is set in three vectors of such. */
function anyOfThree(a: v128, b: v128, c: v128): v128 {
  const twoReds = i8x16.shuffle(a, b, 0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 0, 0, 0, 0, 0);
  const reds = i8x16.shuffle(twoReds, c, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 17, 20, 23, 26, 29);
  const twoGreens = i8x16.shuffle(a, b, 1, 4, 7, 10, 13, 16, 19, 22, 25, 28, 31, 0, 0, 0, 0, 0);
  const greens = i8x16.shuffle(twoGreens, c, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 18, 21, 24, 27, 30);
  const twoBlues = i8x16.shuffle(a, b, 2, 5, 8, 11, 14, 17, 20, 23, 26, 29, 0, 0, 0, 0, 0, 0);
  const blues = i8x16.shuffle(twoBlues, c, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 19, 22, 25, 28, 31);
  return v128.or(v128.or(reds, greens), blues);
}

/** Where bytes lie outside a range, and are neither 0 nor 255. */
function isOutside(bytes: v128, least: v128, most: v128): v128 {
  const isEnd = i8x16.eq(bytes, i8x16.shr_s(bytes, 7));
  return v128.andnot(v128.or(i8x16.lt_u(bytes, least), i8x16.gt_u(bytes, most)), isEnd);
}

/**
 * Marks the pixels of a row, a bit each, the first of eight in the lowest; sixteen at once, as far as the end of the row.
 * @param row the bytes of a row; a row above and one below are read
 * @param papers the paper of each square, four bytes
 * @param changed where the marks go of pixels with a byte outside `least` to `most`
 * @param edges where the marks go of pixels as green as not all of their neighbours, and `off` or more from the paper
 */
export function markRow(
  rgb: usize,
  row: i32,
  papers: usize,
  changed: usize,
  edges: usize,
  least: i32,
  most: i32,
  off: i32,
): void {
  const lowest = i8x16.splat(<i8>least);
  const highest = i8x16.splat(<i8>most);
  const far = i8x16.splat(<i8>off);
  for (const end = rgb + row; rgb < end; rgb += 3 << tileBits) {
    const a = isOutside(v128.load(rgb), lowest, highest);
    const b = isOutside(v128.load(rgb, 16), lowest, highest);
    const c = isOutside(v128.load(rgb, 32), lowest, highest);
    store<u16>(changed, v128.any_true(v128.or(v128.or(a, b), c)) ? i8x16.bitmask(anyOfThree(a, b, c)) : 0);
    const green = greensOf(rgb);
    const isLikeBeside = v128.and(i8x16.eq(green, greensOf(rgb - 3)), i8x16.eq(green, greensOf(rgb + 3)));
    const isLikeBelow = v128.and(i8x16.eq(green, greensOf(rgb - row)), i8x16.eq(green, greensOf(rgb + row)));
    const paper = i8x16.splat(load<i8>(papers, 1));
    const apart = v128.or(i8x16.sub_sat_u(green, paper), i8x16.sub_sat_u(paper, green));
    const isFar = i8x16.ge_u(apart, far);
    store<u16>(edges, i8x16.bitmask(v128.andnot(isFar, v128.and(isLikeBeside, isLikeBelow))));
    papers += 4;
    changed += 2;
    edges += 2;
  }
}

/** Gives the marked pixels of a row the levels of their bytes, which depend on how far their channels lie apart. */
export function toneRow(rgb: usize, row: i32, marks: usize): void {
  for (const end = rgb + row; rgb < end; rgb += 3 << tileBits, marks += 2) {
    for (let left = <u32>load<u16>(marks); left !== 0; left &= left - 1) {
      const at = rgb + 3 * ctz(left);
      if (at >= end) return;
      const r = <i32>load<u8>(at);
      const g = <i32>load<u8>(at, 1);
      const b = <i32>load<u8>(at, 2);
      const spread = max(max(r, g), b) - min(min(r, g), b);
      const levels = (min(max(spread, grayWithin), colourFrom) - grayWithin) << 8;
      store<u8>(at, load<u8>(levels + r, levelsAt));
      store<u8>(at, load<u8>(levels + g, levelsAt), 1);
      store<u8>(at, load<u8>(levels + b, levelsAt), 2);
    }
  }
}
