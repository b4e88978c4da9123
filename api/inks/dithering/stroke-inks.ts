/** Chooses the inks of thin strokes, so that no pixel of theirs is dithered. */
import { type Drawn, inkOfSquare } from './find-drawn.ts';
import { blank, judgeStroke, leave, minPeak, type Surroundings } from './judge-stroke.ts';
import type { PaletteTables } from './palette.ts';
import type { Pixels } from './sheet.ts';
import { clampByte } from './tone-curve.ts';

/** A panel's inks without a hue. */
export interface StrokeInks {
  /** The nominal colour 0xrrggbb of the one nearest to each gray. */
  readonly grays: Int32Array;
  readonly count: number;
  /** Whether the panel has inks with a hue: strokes with a hue keep it there. */
  readonly hasHues: boolean;
}

/** Set next to a colour that is an ink and must stay as it is. */
export const exact = 1 << 24;

/** Panels of more grays show strokes as they are. */
const fewGrays = 8;

const inksOf = new WeakMap<Uint8Array, StrokeInks>();

/** Returns the inks that a palette has for strokes, or undefined where it needs none. */
export function strokeInksOf({ nominal, neutral }: Pick<PaletteTables, 'nominal' | 'neutral'>): StrokeInks | undefined {
  const known = inksOf.get(neutral);
  if (known !== undefined) return known.count > fewGrays ? undefined : known;
  const grays = Int32Array.from(neutral, (ink) => nominal[ink] as number);
  const count = new Set(grays).size;
  const inks = { grays, count, hasHues: count < nominal.length };
  inksOf.set(neutral, inks);
  return count > fewGrays ? undefined : inks;
}

/** A picture whose thin strokes are drawn in inks, and the findings in it. */
export interface StrokePage extends Pixels {
  readonly drawn: Drawn;
  readonly inks: StrokeInks;
  readonly around: Surroundings;
}

/** Opens a picture whose thin strokes are drawn in inks. */
export function openStrokes({ rgb, width, height }: Pixels, drawn: Drawn, inks: StrokeInks): StrokePage {
  const around = { rgb, row: width * 3, paper: 0, sign: 1, peak: 0, enough: 0 };
  return { rgb, width, height, drawn, inks, around };
}

/** Glyphs of such a spread between their channels are gray: they go to black or white. */
const maxTint = 32;

/** A pixel may lie so far off the way from the paper to the ink, in bytes a channel. */
const maxAside = 24;

/** A pixel that differs less from its paper, in bytes of green, is paper. */
export const minOff = 8;

/** Green of dark strokes that have no gaps as they are. */
const darkEnough = 96;

/** Next to strokes such papers are white, or black: dots that touch a stroke spoil it. */
const almostWhite = 216;
const almostBlack = 64;

/**
 * Returns the colour that a pixel of a thin stroke becomes: an ink with the mark `exact`, the paper next to it, or -1
 * where there is no stroke. Three pixels are needed all around.
 * @param at the byte of the pixel's green
 * @param boost the share of a stroke's difference from the paper that is added where there are grays for it
 */
export function drawStroke(page: StrokePage, at: number, square: number, boost: number): number {
  const { rgb, drawn, inks, around } = page;
  const paper = drawn.papers[square] as number;
  const paperGreen = (paper >> 8) & 0xff;
  const own = rgb[at] as number;
  const inkColour = inkOfSquare(page, drawn, square);
  const isDark = own < paperGreen;
  const peak = Math.abs(((inkColour >> 8) & 0xff) - paperGreen);
  if (drawn.hasInk[square] === 0) drawn.hasInk[square] = peak >= minPeak && mayBeGray(inks, paper, inkColour) ? 1 : 2;
  if (drawn.hasInk[square] === 2 || (inks.hasHues && !isGray(rgb, at, paper, inkColour))) return -1;
  around.paper = paperGreen;
  around.sign = isDark ? 1 : -1;
  around.peak = peak;
  around.enough = isDark ? paperGreen - darkEnough : 256;
  const verdict = judgeStroke(around, at);
  if (verdict === leave) return -1;
  if (verdict === blank) {
    const isAlmostInk = isDark ? paperGreen >= almostWhite : paperGreen <= almostBlack;
    if (inks.count > 2 || isAlmostInk) return (inks.grays[inks.count > 2 ? own : paperGreen] as number) | exact;
    return paperBeside(rgb, at, around.row, isDark);
  }
  if (inks.count === 2) return (inks.grays[isDark ? 0 : 255] as number) | exact;
  const gray = inks.grays[clampByte(own + boost * (own - paperGreen))] as number;
  if (gray !== inks.grays[paperGreen]) return gray | exact;
  const peakGreen = (inkColour >> 8) & 0xff;
  return (inks.grays[clampByte(peakGreen + boost * (peakGreen - paperGreen))] as number) | exact;
}

/**
 * Returns whether a pixel lies in a pattern that a page draws its grays with: inks alone, of which one stands in dots that
 * touch none of their kind. Where there are more inks than black and white, such a dot is not a stroke.
 * @param at the byte of the pixel's green
 */
export function isInPattern({ rgb, inks, around: { row } }: StrokePage, at: number): boolean {
  if (inks.count === 2) return false;
  const places = [at, at - 3, at + 3, at - row, at + row];
  return places.every((place) => isInk(rgb, place, inks)) && places.some((place) => isDot(rgb, place, row));
}

const isInk = (rgb: Uint8Array, at: number, { grays }: StrokeInks): boolean =>
  grays[rgb[at] as number] === (((rgb[at - 1] as number) << 16) | ((rgb[at] as number) << 8) | (rgb[at + 1] as number));

const isDot = (rgb: Uint8Array, at: number, row: number): boolean => {
  const green = rgb[at];
  return rgb[at - 3] !== green && rgb[at + 3] !== green && rgb[at - row] !== green && rgb[at + row] !== green;
};

/** Returns whether a square may have gray strokes. */
function mayBeGray({ hasHues }: StrokeInks, paper: number, inkColour: number): boolean {
  return !hasHues || spreadOf(paper) <= maxTint / 2 || isNeutral(inkColour, paper);
}

/** Returns whether glyphs are gray, if only half of them on a paper with a hue. */
function isNeutral(inkColour: number, paper: number): boolean {
  return spreadOf(inkColour) <= Math.max(maxTint, spreadOf(paper) * 0.4);
}

/** Returns whether a pixel lies between the paper and a gray. */
function isGray(rgb: Uint8Array, at: number, paper: number, inkColour: number): boolean {
  const [red, green, blue] = [rgb[at - 1] as number, rgb[at] as number, rgb[at + 1] as number];
  const paperGreen = (paper >> 8) & 0xff;
  const share = Math.abs((green - paperGreen) / (((inkColour >> 8) & 0xff) - paperGreen));
  if (isNeutral(inkColour, paper)) {
    const asideRed = red - (paper >> 16) - share * ((inkColour >> 16) - (paper >> 16));
    const asideBlue = blue - (paper & 0xff) - share * ((inkColour & 0xff) - (paper & 0xff));
    if (Math.abs(asideRed) <= maxAside && Math.abs(asideBlue) <= maxAside) return true;
  }
  return spreadOf(paper) <= maxTint / 2 && Math.max(red, green, blue) - Math.min(red, green, blue) <= maxTint / 2;
}

function spreadOf(colour: number): number {
  const [red, green, blue] = [colour >> 16, (colour >> 8) & 0xff, colour & 0xff];
  return Math.max(red, green, blue) - Math.min(red, green, blue);
}

/** Returns the colour 0xrrggbb of the lightest pixel, or the darkest, within two of a pixel whose green is at a byte. */
function paperBeside(rgb: Uint8Array, at: number, row: number, isLight: boolean): number {
  let best = at;
  for (let step = 3; ; step = row) {
    for (let place = at - 2 * step; place <= at + 2 * step; place += step) {
      const green = rgb[place] as number;
      const most = rgb[best] as number;
      if (isLight ? green > most : green < most) best = place;
    }
    if (step === row) break;
  }
  return ((rgb[best - 1] as number) << 16) | ((rgb[best] as number) << 8) | (rgb[best + 1] as number);
}
