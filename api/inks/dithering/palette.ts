/** Everything that dithering has to know of a panel's inks, computed once a palette. */
import type { PanelColour } from '../../../firmware-protocol/panels.ts';
import { bytesOfColour, inUnits, linearOfByte, luminance, one, relativeInks } from './colour.ts';
import { buildGamutTable } from './gamut-table.ts';
import { chooseBy } from './ink-choice.ts';
import { buildMoveRules, type MoveRules } from './move-rules.ts';
import { buildNearestTable, buildScale, type LightScale } from './nearest-table.ts';

/** The tables of a palette; light in units. `buildPaletteTables` makes them. */
export interface PaletteTables {
  /** The relative light of the inks, three numbers an ink: as numbers, and in units. */
  readonly relative: Float64Array;
  readonly inks: Int32Array;
  /** The luminance of the inks. */
  readonly luminances: Int32Array;
  /** The light that each byte of red, then of green, then of blue adds to a wish: three numbers a byte. */
  readonly lightOf: Int32Array;
  /** The light to add to that, so that it lies within reach of the inks. */
  readonly gamut: Int32Array;
  readonly scale: LightScale;
  /** The share of a wish that disturbs the choice of its ink where a picture is flat, in 256ths. */
  readonly noise: number;
  readonly nearest: Uint8Array;
  readonly moves: MoveRules;
  /** The nominal and the measured colours as 0xrrggbb, by ink. */
  readonly nominal: Int32Array;
  readonly measured: Int32Array;
  /** 1 where a colour whose bytes begin with these four bits each, red first, may be a nominal one. */
  readonly mayBeNominal: Uint8Array;
  /** The ink without a hue that is nearest to a gray, by its byte. */
  readonly neutral: Uint8Array;
}

/** Builds the tables of a panel's inks. Costs a fifth of a second: keep them. */
export function buildPaletteTables(colours: readonly PanelColour[]): PaletteTables {
  const relative = relativeInks(colours);
  const inks = inUnits(relative);
  const asNumber = (hex: string): number => {
    const [red, green, blue] = bytesOfColour(hex);
    return (red << 16) | (green << 8) | blue;
  };
  const nominal = Int32Array.from(colours, (colour) => asNumber(colour.nominal));
  const mayBeNominal = new Uint8Array(4096);
  for (const colour of nominal) mayBeNominal[coarse(colour)] = 1;
  const luminances = Int32Array.from(colours, (_, ink) =>
    luminance(inks[ink * 3] as number, inks[ink * 3 + 1] as number, inks[ink * 3 + 2] as number),
  );
  const choice = chooseBy(relative);
  const scale = buildScale(choice.range);
  return {
    relative,
    inks,
    luminances,
    moves: buildMoveRules(inks, luminances),
    gamut: buildGamutTable(relative, choice.ontoInks),
    lightOf: buildLightOf(choice.ontoInks),
    scale,
    noise: Math.round(choice.noise * 256),
    nearest: buildNearestTable(relative, scale, choice),
    nominal,
    measured: Int32Array.from(colours, (colour) => asNumber(colour.measured)),
    mayBeNominal,
    neutral: Uint8Array.from({ length: 256 }, (_, byte) => neutralInk(nominal, byte)),
  };
}

/** Returns black, white or a gray, by its name: its measured colour may have a tint. */
function neutralInk(nominal: Int32Array, byte: number): number {
  let best = 0;
  let bestDistance = Number.POSITIVE_INFINITY;
  nominal.forEach((colour, ink) => {
    const gray = colour & 0xff;
    if (colour !== gray * 0x010101 || Math.abs(gray - byte) >= bestDistance) return;
    best = ink;
    bestDistance = Math.abs(gray - byte);
  });
  return best;
}

/** Builds the light of every byte of each channel, taken by a matrix to the span of the inks. */
function buildLightOf(ontoInks: readonly number[]): Int32Array {
  return Int32Array.from({ length: 3 * 256 * 3 }, (_, at) => {
    const [channel, byte, part] = [Math.floor(at / (256 * 3)), Math.floor(at / 3) % 256, at % 3];
    return Math.round((ontoInks[part * 3 + channel] as number) * (linearOfByte[byte] as number) * one);
  });
}

/** Returns the first four bits of each channel of 0xrrggbb. */
function coarse(colour: number): number {
  return ((colour >> 12) & 0xf00) | ((colour >> 8) & 0xf0) | ((colour >> 4) & 0xf);
}

/** Returns the ink that a colour 0xrrggbb names, or -1. */
export function inkNamed({ nominal, mayBeNominal }: PaletteTables, colour: number): number {
  if (mayBeNominal[coarse(colour)] === 0) return -1;
  for (let ink = 0; ink < nominal.length; ink++) if (nominal[ink] === colour) return ink;
  return -1;
}
