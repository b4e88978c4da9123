/**
 * Turns a picture into palette indices of a panel: Floyd-Steinberg, serpentine, in relative linear light, after mapping
 * colours the inks cannot mix to the nearest they can. Pure arithmetic, nothing allocated per pixel.
 */
import type { PanelColour } from '../../firmware-protocol/panels.ts';
import { bytesOfColour, relativeInks } from './colour.ts';
import { buildGamutTable, type GamutTable, mapColour } from './gamut-table.ts';
import { buildNearestTable, leastLight, mostLight, nearestAt } from './nearest-table.ts';

/** Everything about a panel's inks that dithering needs; `buildPaletteTables` makes it once a palette. */
export interface PaletteTables {
  /** Relative light of the inks, three numbers an ink. */
  readonly inks: Float64Array;
  readonly gamut: GamutTable;
  readonly nearest: Uint8Array;
  /** Nominal and measured colours as 0xrrggbb, by ink. */
  readonly nominal: Int32Array;
  readonly measured: Int32Array;
}

/** Builds the tables of a panel's inks. Costs a fifth of a second: keep them. */
export function buildPaletteTables(colours: readonly PanelColour[]): PaletteTables {
  const inks = relativeInks(colours);
  const asNumber = (hex: string): number => {
    const [red, green, blue] = bytesOfColour(hex);
    return (red << 16) | (green << 8) | blue;
  };
  return {
    inks,
    gamut: buildGamutTable(inks),
    nearest: buildNearestTable(inks),
    nominal: Int32Array.from(colours, (colour) => asNumber(colour.nominal)),
    measured: Int32Array.from(colours, (colour) => asNumber(colour.measured)),
  };
}

/**
 * A picture that consists of panel colours alone (a preview sent back, a page drawn for the panel) is taken as it is.
 * @returns its indices, or undefined at the first other pixel
 */
function readPanelColours(rgb: Uint8Array, tables: PaletteTables): Uint8Array | undefined {
  const indices = new Uint8Array(rgb.length / 3);
  for (let at = 0, pixel = 0; at < rgb.length; at += 3, pixel++) {
    const colour = ((rgb[at] as number) << 16) | ((rgb[at + 1] as number) << 8) | (rgb[at + 2] as number);
    let index = tables.measured.indexOf(colour);
    if (index < 0) index = tables.nominal.indexOf(colour);
    if (index < 0) return undefined;
    indices[pixel] = index;
  }
  return indices;
}

const clampLight = (light: number): number => Math.min(Math.max(light, leastLight), mostLight);
/** Errors too small to change a pixel end here; handed on for ever, they would become slow denormal numbers. */
const clampError = (error: number): number =>
  error > 1 ? 1 : error < -1 ? -1 : error < 1e-4 && error > -1e-4 ? 0 : error;

/**
 * Dithers a picture.
 * @param rgb sRGB, three bytes a pixel, row by row, `width` x `height`
 * @param diffuse false draws every pixel in its nearest ink, for pages that ask for no dithering
 * @returns palette indices (positions in the panel's colours), one a pixel
 */
export function ditherPicture(
  rgb: Uint8Array,
  width: number,
  height: number,
  tables: PaletteTables,
  diffuse = true,
): Uint8Array {
  if (rgb.length !== width * height * 3) throw new Error(`picture has ${rgb.length} bytes, not ${width}x${height}x3`);
  const clean = readPanelColours(rgb, tables);
  if (clean !== undefined) return clean;
  const indices = new Uint8Array(width * height);
  // Errors for the row in work and the row below, with a spare pixel at either end.
  const rows = [new Float64Array((width + 2) * 3), new Float64Array((width + 2) * 3)] as const;
  for (let y = 0; y < height; y++) {
    const here = y % 2 === 0 ? rows[0] : rows[1];
    const below = y % 2 === 0 ? rows[1] : rows[0];
    below.fill(0);
    ditherRow(rgb, indices, y * width, width, y % 2 === 0 ? 1 : -1, here, below, tables, diffuse ? 1 / 16 : 0);
  }
  return indices;
}

const mapped = new Float64Array(3);

/** `indexOf` of a handful of numbers, without the price of a call into the runtime a pixel. */
function inkNamed(nominal: Int32Array, colour: number): number {
  for (let ink = 0; ink < nominal.length; ink++) if (nominal[ink] === colour) return ink;
  return -1;
}

/** One row from `first`, rightwards (`step` 1) or leftwards (-1); `share` is what a sixteenth of an error weighs. */
function ditherRow(
  rgb: Uint8Array,
  indices: Uint8Array,
  first: number,
  width: number,
  step: 1 | -1,
  here: Float64Array,
  below: Float64Array,
  { inks, gamut, nearest, nominal }: PaletteTables,
  share: number,
): void {
  const ahead = 3 * step;
  let lastColour = -1;
  let exact = -1;
  let redError = 0;
  let greenError = 0;
  let blueError = 0;
  for (let left = width, x = step === 1 ? 0 : width - 1; left > 0; left--, x += step) {
    const from = (first + x) * 3;
    const colour = ((rgb[from] as number) << 16) | ((rgb[from + 1] as number) << 8) | (rgb[from + 2] as number);
    if (colour !== lastColour) {
      lastColour = colour;
      exact = inkNamed(nominal, colour);
      if (exact < 0) mapColour(gamut, colour >> 16, (colour >> 8) & 0xff, colour & 0xff, mapped);
    }
    const at = (x + 1) * 3;
    redError = redError * 7 + (here[at] as number);
    greenError = greenError * 7 + (here[at + 1] as number);
    blueError = blueError * 7 + (here[at + 2] as number);
    let ink = exact;
    if (exact < 0) {
      const red = clampLight((mapped[0] as number) + redError);
      const green = clampLight((mapped[1] as number) + greenError);
      const blue = clampLight((mapped[2] as number) + blueError);
      ink = nearest[nearestAt(red, green, blue)] as number;
      redError = red - (inks[ink * 3] as number);
      greenError = green - (inks[ink * 3 + 1] as number);
      blueError = blue - (inks[ink * 3 + 2] as number);
    }
    // an ink asked for by name is that ink and adds no error; what its neighbours owe passes through it.
    indices[first + x] = ink;
    redError = clampError(redError) * share;
    greenError = clampError(greenError) * share;
    blueError = clampError(blueError) * share;
    if (redError === 0 && greenError === 0 && blueError === 0) continue;
    below[at - ahead] = (below[at - ahead] as number) + redError * 3;
    below[at - ahead + 1] = (below[at - ahead + 1] as number) + greenError * 3;
    below[at - ahead + 2] = (below[at - ahead + 2] as number) + blueError * 3;
    below[at] = (below[at] as number) + redError * 5;
    below[at + 1] = (below[at + 1] as number) + greenError * 5;
    below[at + 2] = (below[at + 2] as number) + blueError * 5;
    below[at + ahead] = (below[at + ahead] as number) + redError;
    below[at + ahead + 1] = (below[at + ahead + 1] as number) + greenError;
    below[at + ahead + 2] = (below[at + ahead + 2] as number) + blueError;
  }
}
