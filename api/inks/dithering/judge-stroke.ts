/**
 * Separates the pixels that make a thin stroke from those next to it. A stem of a small glyph lies between two columns
 * of pixels as often as in one; dithered, it falls into dots, and glyphs into pieces. Across a stroke the pixel nearest
 * to its middle is taken for its ink, and a second one only where the stroke is as wide; the remaining pixels next to
 * them become paper. All strokes of a weight come out alike, whatever their place.
 */

/** The verdicts on a pixel. */
export const leave = 0;
export const ink = 1;
export const blank = 2;
/** Paler than both its neighbours, which are strokes by themselves. */
const between = 3;

/** The least that glyphs differ from their paper, in bytes of green, to be worth an ink: paler ones stay dots. */
export const minPeak = 52;

/** The least sum of differences across a stroke, next to stronger ones. */
const minStroke = 52;

/** A wider stroke, in pixels, is an area: dots do not break it. */
const widest = 2.5;

/** Strokes of two pixels that differ so much have no gaps: one of the two is inked. */
const wideEnough = 118;

/** The sum of differences across the last stroke that was judged, and the most of them. */
let sum = 0;
let most = 0;

/** The surroundings of a pixel. A picture has one such value, which each pixel fills in: nothing is allocated. */
export interface Surroundings {
  readonly rgb: Uint8Array;
  /** The bytes of a row. */
  readonly row: number;
  /** Green of the paper. */
  paper: number;
  /** 1 where strokes are darker than the paper, -1 where they are lighter. */
  sign: number;
  /** The most by which a stroke around here differs from the paper. */
  peak: number;
  /** The difference from which a stroke needs no help: it has no gaps. */
  enough: number;
}

/** Returns a green's difference from the paper; the product is never a negative nothing, which would cost time. */
const offAt = ({ rgb, paper, sign }: Surroundings, at: number): number => Math.imul(sign, paper - (rgb[at] as number));

/** Judges the pixel whose green is at a byte; three pixels are needed all around. */
export function judgeStroke(around: Surroundings, at: number): number {
  const { row, peak, enough } = around;
  const off = offAt(around, at);
  if (off >= enough) return leave;
  let across = judgeSection(around, at, 3);
  const widthAcross = sum;
  const strongestAcross = most;
  let down = judgeSection(around, at, row);
  const widthDown = sum;
  const strongest = strongestAcross > most ? strongestAcross : most;
  if (strongest >= enough) return leave;
  // The joint of two strokes is paler than they are, and still a stroke in the other direction.
  if (across === between && down === ink) across = leave;
  if (down === between && across === ink) down = leave;
  const isAcross = across !== leave && (down === leave || widthAcross <= widthDown);
  const verdict = isAcross ? across : down;
  if (verdict === between) return blank;
  if (verdict === leave) {
    if (isAtArea(around, at, (strongest * 3) >> 2)) return leave;
    return off * 2 >= strongest ? ink : blank;
  }
  const width = isAcross ? widthAcross : widthDown;
  const least = Math.min(minStroke, peak * 0.45);
  if (strongest * 10 < peak * 3) return leave;
  if (width > 1.7 * strongest && strongest >= wideEnough) return leave;
  if (verdict === blank) return width < least ? leave : blank;
  const along = isAcross ? row : 3;
  const before = offAt(around, at - along);
  const after = offAt(around, at + along);
  if (across === ink && down === ink && isDot(around, at, off >> 3)) return leave;
  // The gap below the dot of an i, and the faint end of a stroke.
  if (width * 2 < peak && Math.min(before, after) * 2 >= 3 * off) return blank;
  if (width * 20 < peak * 9 && Math.max(before, after) >= 2 * off) return blank;
  return width < least ? leave : ink;
}

/** Returns whether a pixel stands alone, as in a dotted line. */
function isDot(around: Surroundings, at: number, almost: number): boolean {
  const { row } = around;
  return (
    offAt(around, at - 3) <= almost &&
    offAt(around, at + 3) <= almost &&
    offAt(around, at - row) <= almost &&
    offAt(around, at + row) <= almost
  );
}

/** Judges a pixel by the section through it that goes on by `step` bytes. */
function judgeSection(around: Surroundings, at: number, step: number): number {
  const { peak } = around;
  const c = offAt(around, at);
  const b = offAt(around, at - step);
  const d = offAt(around, at + step);
  const a = offAt(around, at - 2 * step);
  const e = offAt(around, at + 2 * step);
  sum = 0;
  most = Math.max(a, b, c, d, e);
  if (b < c && d <= c) {
    const left = sideOf(c, b, a, offAt(around, at - 3 * step));
    const right = sideOf(c, d, e, offAt(around, at + 3 * step));
    return left + right + c > widest * peak ? leave : keep(left + right + c, ink);
  }
  // The middle of the stroke is before or after this pixel.
  const isBefore = b >= d;
  const outward = isBefore ? -step : step;
  const top = isBefore ? b : d;
  const first = isBefore ? a : e;
  const second = offAt(around, at + 3 * outward);
  const half = top >> 1;
  const outer = sideOf(top, first, second, second);
  const inner = isBefore ? sideOf(top, c, d, e) : sideOf(top, c, b, a);
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
 * the next stroke begins beyond a gap; a ripple in an area is not a gap.
 */
function sideOf(top: number, first: number, second: number, third: number): number {
  const half = top >> 1;
  if (first <= half) return first > 0 ? first : 0;
  if (first > top) return endless;
  if (second <= half) return second > 0 ? first + second : first;
  if (second > first) return first * 4 > top * 3 ? endless : first + second;
  if (third <= half) return third > 0 ? first + second + third : first + second;
  if (third > second) return second * 4 > top * 3 ? endless : first + second + third;
  return endless;
}

/** Returns whether a pixel is part of a square of three by three that is inked all over, or next to one. */
function isAtArea(around: Surroundings, at: number, full: number): boolean {
  const { row } = around;
  for (let y = at - 2 * row; y <= at + 2 * row; y += row) {
    for (let place = y - 6; place <= y + 6; place += 3) {
      if (offAt(around, place) >= full && isArea(around, place, full)) return true;
    }
  }
  return false;
}

function isArea(around: Surroundings, at: number, full: number): boolean {
  const { row } = around;
  for (let y = at - row; y <= at + row; y += row) {
    for (let place = y - 3; place <= y + 3; place += 3) {
      if (offAt(around, place) < full) return false;
    }
  }
  return true;
}
