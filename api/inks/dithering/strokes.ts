/**
 * Keeps thin strokes connected: a stem of a small glyph is a pixel or two of an even gray, and its dots would leave
 * gaps in it. A pixel between two sides that are nearer to the paper gets more contrast to them; wide areas stay as
 * they are.
 */

/** The difference of a stroke from both its sides, in bytes of green: a smaller one is a gradient or noise. */
const minContrast = 16;

/**
 * Finds the pixel that a pixel of a stroke has to differ from more: one on the nearer of its two sides. Two pixels are
 * needed all around.
 * @param paper green of the surroundings of glyphs here; strokes lie beyond it, the gaps between them do not
 * @returns the place of that pixel, or -1 where there is no stroke
 */
export function sideOfStroke(rgb: Uint8Array, pixel: number, width: number, paper: number): number {
  const own = rgb[pixel * 3 + 1] as number;
  if (Math.abs(own - paper) < minContrast) return -1;
  const sign = own < paper ? 1 : -1;
  const across = nearerSide(rgb, pixel, 1, sign);
  const down = nearerSide(rgb, pixel, width, sign);
  if (across < 0 || down < 0) return Math.max(across, down);
  return contrastTo(rgb, across, own, sign) >= contrastTo(rgb, down, own, sign) ? across : down;
}

const contrastTo = (rgb: Uint8Array, pixel: number, own: number, sign: number): number =>
  sign * ((rgb[pixel * 3 + 1] as number) - own);

/**
 * Returns the side in one direction or its opposite that differs less from a pixel, or -1 where one of them is not a side.
 */
function nearerSide(rgb: Uint8Array, pixel: number, step: number, sign: number): number {
  const own = rgb[pixel * 3 + 1] as number;
  const after = contrastTo(rgb, pixel + step, own, sign);
  const before = contrastTo(rgb, pixel - step, own, sign);
  if (after < 0 || before < 0) return -1;
  const afterNext = contrastTo(rgb, pixel + 2 * step, own, sign);
  const beforeNext = contrastTo(rgb, pixel - 2 * step, own, sign);
  const farAfter = Math.max(after, afterNext);
  const farBefore = Math.max(before, beforeNext);
  if (Math.min(farAfter, farBefore) < minContrast) return -1;
  if (farAfter < farBefore) return pixel + (afterNext > after ? 2 * step : step);
  return pixel - (beforeNext > before ? 2 * step : step);
}
