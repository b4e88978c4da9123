/**
 * Tells the pixels that make a thin stroke from those beside it. A stem of a small letter lies between two columns of
 * pixels as often as in one; dithered, it falls into dots, and letters into pieces. Across a stroke the pixel nearest to
 * its middle is taken for its ink, and a second one only where the stroke is as wide; what is left beside them becomes
 * paper. All strokes of a weight come out alike, whatever their place.
 */

/** The verdicts on a pixel. */
export const leave = 0;
export const ink = 1;
export const blank = 2;
/** Paler than both its neighbours, which are strokes by themselves. */
const between = 3;

/** The least that letters differ from their paper, in bytes of green, to be worth an ink: paler ones stay dots. */
export const minPeak = 52;

/** The least sum of differences across a stroke, beside stronger ones. */
const minStroke = 52;

/** A wider stroke, in pixels, is an area: dots do not break it. */
const widest = 2.5;

/** Strokes of two pixels that differ so much have no gaps: one of the two is inked. */
const wideEnough = 118;

/** The sum of differences across the last stroke that was judged, and the most of them. */
let sum = 0;
let most = 0;

/** Returns the difference of green from the paper; the product is never a negative nothing, which would cost time. */
const offAt = (green: number, paper: number, sign: number): number => Math.imul(sign, paper - green);

/**
 * Judges the pixel whose green is at a byte; three pixels are needed all around.
 * @param sign 1 where strokes are darker than `paper`, -1 where they are lighter
 * @param peak the most by which a stroke around here differs from the paper
 * @param enough the difference from which a stroke needs no help: it has no gaps
 */
export function judgeStroke(
  rgb: Uint8Array,
  at: number,
  row: number,
  paper: number,
  sign: number,
  peak: number,
  enough: number,
): number {
  const off = offAt(rgb[at] as number, paper, sign);
  if (off >= enough) return leave;
  let across = judgeSection(rgb, at, 3, paper, sign, peak);
  const widthAcross = sum;
  const strongestAcross = most;
  let down = judgeSection(rgb, at, row, paper, sign, peak);
  const widthDown = sum;
  const strongest = strongestAcross > most ? strongestAcross : most;
  if (strongest >= enough) return leave;
  // What joins two strokes is paler than they are, and still a stroke in the other direction.
  if (across === between && down === ink) across = leave;
  if (down === between && across === ink) down = leave;
  const isAcross = across !== leave && (down === leave || widthAcross <= widthDown);
  const verdict = isAcross ? across : down;
  if (verdict === between) return blank;
  if (verdict === leave) {
    if (isAtArea(rgb, at, row, paper, sign, (strongest * 3) >> 2)) return leave;
    return off * 2 >= strongest ? ink : blank;
  }
  const width = isAcross ? widthAcross : widthDown;
  const least = Math.min(minStroke, peak * 0.45);
  if (strongest * 10 < peak * 3) return leave;
  if (width > 1.7 * strongest && strongest >= wideEnough) return leave;
  if (verdict === blank) return width < least ? leave : blank;
  const along = isAcross ? row : 3;
  const before = offAt(rgb[at - along] as number, paper, sign);
  const after = offAt(rgb[at + along] as number, paper, sign);
  if (across === ink && down === ink && isDot(rgb, at, row, paper, sign, off >> 3)) return leave;
  // The gap below the dot of an i, and the faint end of a stroke.
  if (width * 2 < peak && Math.min(before, after) * 2 >= 3 * off) return blank;
  if (width * 20 < peak * 9 && Math.max(before, after) >= 2 * off) return blank;
  return width < least ? leave : ink;
}

/** Tells whether a pixel stands alone, as in a dotted line. */
function isDot(rgb: Uint8Array, at: number, row: number, paper: number, sign: number, almost: number): boolean {
  return (
    offAt(rgb[at - 3] as number, paper, sign) <= almost &&
    offAt(rgb[at + 3] as number, paper, sign) <= almost &&
    offAt(rgb[at - row] as number, paper, sign) <= almost &&
    offAt(rgb[at + row] as number, paper, sign) <= almost
  );
}

/** Judges a pixel by the section through it that goes on by `step` bytes. */
function judgeSection(rgb: Uint8Array, at: number, step: number, paper: number, sign: number, peak: number): number {
  const c = offAt(rgb[at] as number, paper, sign);
  const b = offAt(rgb[at - step] as number, paper, sign);
  const d = offAt(rgb[at + step] as number, paper, sign);
  const a = offAt(rgb[at - 2 * step] as number, paper, sign);
  const e = offAt(rgb[at + 2 * step] as number, paper, sign);
  sum = 0;
  most = Math.max(a, b, c, d, e);
  if (b < c && d <= c) {
    const left = sideOf(c, c >> 1, b, a, offAt(rgb[at - 3 * step] as number, paper, sign));
    const right = sideOf(c, c >> 1, d, e, offAt(rgb[at + 3 * step] as number, paper, sign));
    return left + right + c > widest * peak ? leave : keep(left + right + c, ink);
  }
  // The middle of the stroke is before or after this pixel.
  const isBefore = b >= d;
  const outward = isBefore ? -step : step;
  const top = isBefore ? b : d;
  const first = isBefore ? a : e;
  const second = offAt(rgb[at + 3 * outward] as number, paper, sign);
  const half = top >> 1;
  const outer = sideOf(top, half, first, second, second);
  const inner = isBefore ? sideOf(top, half, c, d, e) : sideOf(top, half, c, b, a);
  if (top + outer + inner > widest * peak) return leave;
  sum = top + outer + inner;
  if (b > c && d > c) return between;
  if (c <= half) return blank;
  const ahead = first > half && first <= top && (isBefore ? first >= c : first > c) ? 2 : 1;
  return ahead < Math.round(sum / peak - 0.1) ? ink : blank;
}

function keep(width: number, verdict: number): number {
  sum = width;
  return verdict;
}

/** A side of an area: more than any stroke has. */
const endless = 1 << 16;

/**
 * Adds up one side of a stroke, from its middle outwards. It ends where it is paler than half of the middle, or where
 * the next stroke begins beyond a gap; a ripple in an area is no gap.
 */
function sideOf(top: number, half: number, first: number, second: number, third: number): number {
  if (first <= half) return first > 0 ? first : 0;
  if (first > top) return endless;
  if (second <= half) return second > 0 ? first + second : first;
  if (second > first) return first * 4 > top * 3 ? endless : first + second;
  if (third <= half) return third > 0 ? first + second + third : first + second;
  if (third > second) return second * 4 > top * 3 ? endless : first + second + third;
  return endless;
}

/** Tells whether a pixel is part of a square of three by three that is inked all over, or beside one. */
function isAtArea(rgb: Uint8Array, at: number, row: number, paper: number, sign: number, full: number): boolean {
  for (let y = at - 2 * row; y <= at + 2 * row; y += row) {
    for (let place = y - 6; place <= y + 6; place += 3) {
      if (offAt(rgb[place] as number, paper, sign) >= full && isArea(rgb, place, row, paper, sign, full)) return true;
    }
  }
  return false;
}

function isArea(rgb: Uint8Array, at: number, row: number, paper: number, sign: number, full: number): boolean {
  for (let y = at - row; y <= at + row; y += row) {
    for (let place = y - 3; place <= y + 3; place += 3) {
      if (offAt(rgb[place] as number, paper, sign) < full) return false;
    }
  }
  return true;
}
