/**
 * Separates drawings from photographs, square by square. A drawing has a paper, a colour that much of a square repeats; a
 * photograph's noise never does for long. A square between the two counts in part, so that no border shows.
 */
import { tileBits } from './loops/places.ts';
import { loops } from './loops.ts';
import type { Pixels, Sheet } from './sheet.ts';

/** The side of the squares, in pixels. */
export const tile = 1 << tileBits;

/**
 * The shares of a square's most frequent colour: a photograph has up to the first, a drawing from the second on.
 * Measured: half of the squares full of glyphs of seven pixels have more than 0.3, of a photograph's squares one in
 * fifty has more than 0.25.
 */
const photographUpTo = 0.2;
const drawnFrom = 0.35;

/** The findings, a number for each square, row by row. */
export interface Drawn {
  readonly columns: number;
  readonly rows: number;
  /** The degree to which a square counts as drawn: 0 to 1. */
  readonly weights: Float32Array;
  /** Each square's most frequent colour, 0xrrggbb. */
  readonly papers: Int32Array;
  /** The colour in each square that differs most from its paper in green; -1 before it is asked for (`inkOfSquare`). */
  readonly inks: Int32Array;
  /** 1 for each square whose strokes may be drawn in one ink, 2 where there are none, 0 before that is asked. */
  readonly hasInk: Uint8Array;
}

/** The same shares where a square is as even as a gradient: there a colour repeats less, the steeper the less. */
const noGradientUpTo = 0.07;
const gradientFrom = 0.11;

/**
 * The shares of pixels that lie on a line with their neighbours. A gradient has all of them; the smoothest sky of a
 * photograph has grain.
 */
const unevenUpTo = 0.97;
const evenFrom = 1.0;

/** Pixels count as on a line if they lie so near to it, in bytes: gradients are rounded, and dithered by one. */
const onLineWithin = 2;

/** Darker squares, by the green of their paper, count as gradients no sooner than as drawings. */
const paleFrom = 128;

/** The pixels of a square, up to `right` and `bottom`. */
interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

function areaOf({ width, height }: Pixels, square: number): Area {
  const columns = Math.ceil(width / tile);
  const left = (square % columns) * tile;
  const top = Math.floor(square / columns) * tile;
  return { left, top, right: Math.min(left + tile, width), bottom: Math.min(top + tile, height) };
}

/**
 * Judges every square of a picture that lies in the memory of the loops.
 * @param withGradients whether pale gradients count as drawn; otherwise some of their squares do
 */
export function findDrawn(sheet: Sheet, withGradients: boolean): Drawn {
  const { width, height, places } = sheet;
  const [columns, rows] = [Math.ceil(width / tile), Math.ceil(height / tile)];
  const weights = new Float32Array(columns * rows);
  const papers = new Int32Array(loops.memory.buffer, places.papers, columns * rows);
  const inks = new Int32Array(columns * rows).fill(-1);
  for (let square = 0; square < weights.length; square++) judge(square);
  return { columns, rows, weights, papers, inks, hasInk: new Uint8Array(columns * rows) };

  function judge(square: number): void {
    const area = areaOf(sheet, square);
    const [across, down] = [area.right - area.left, area.bottom - area.top];
    const first = places.rgb + (area.top * width + area.left) * 3;
    const most = loops.countColours(first, width * 3, across, down, places.papers + square * 4);
    const seen = across * Math.ceil(down / 4);
    weights[square] = step(most / seen, photographUpTo, drawnFrom);
    if (!withGradients || weights[square] === 1 || ((papers[square] as number) & 0xff00) < paleFrom << 8) return;
    const share = step(most / seen, noGradientUpTo, gradientFrom);
    if (share === 0) return;
    const even = step(evenShare(sheet, area), unevenUpTo, evenFrom);
    weights[square] = Math.max(weights[square] as number, share * even);
  }
}

/** Returns 0 up to a number, 1 from another, and goes evenly between them. */
function step(value: number, from: number, to: number): number {
  const within = Math.min(Math.max((value - from) / (to - from), 0), 1);
  return within * within * (3 - 2 * within);
}

/** Returns the share of a square's pixels that lie on a line with those next to, above and below them, in every channel. */
function evenShare({ rgb, width }: Pixels, { left, top, right, bottom }: Area): number {
  let even = 0;
  let seen = 0;
  const row = width * 3;
  for (let y = top + 1; y < bottom - 1; y += 4) {
    for (let x = left + 1; x < right - 1; x++) {
      const at = (y * width + x) * 3;
      let bend = 0;
      for (let part = at; part < at + 3; part++) {
        const off = 2 * (rgb[part] as number) - (rgb[part - 3] as number) - (rgb[part + 3] as number);
        const offDown = 2 * (rgb[part] as number) - (rgb[part - row] as number) - (rgb[part + row] as number);
        bend = Math.max(bend, Math.abs(off), Math.abs(offDown));
      }
      if (bend <= onLineWithin) even++;
      seen++;
    }
  }
  return seen === 0 ? 0 : even / seen;
}

/** Returns the colour 0xrrggbb of a square that differs most from the square's paper in green. */
export function inkOfSquare(pixels: Pixels, { papers, inks }: Drawn, square: number): number {
  const known = inks[square] as number;
  if (known >= 0) return known;
  const paper = ((papers[square] as number) >> 8) & 0xff;
  const { rgb, width } = pixels;
  const { left, top, right, bottom } = areaOf(pixels, square);
  let most = -1;
  let found = 0;
  for (let y = top; y < bottom; y++) {
    for (let x = left, at = (y * width + left) * 3 + 1; x < right; x++, at += 3) {
      const off = Math.abs((rgb[at] as number) - paper);
      if (off <= most) continue;
      most = off;
      found = at;
    }
  }
  const ink = ((rgb[found - 1] as number) << 16) | ((rgb[found] as number) << 8) | (rgb[found + 1] as number);
  inks[square] = ink;
  return ink;
}
