/**
 * Colour arithmetic of the dithering: sRGB bytes, linear light, and the paper's own space.
 *
 * "Relative" light is linear light fitted to the paper, per channel: 0 is the panel's black and 1 its white, because
 * the eye takes the paper's white for white. A source's linear light is already its wish in that space; an ink lies in
 * it at `(linear - black) / (white - black)` and may leave 0..1.
 */
import { blackAndWhite, type PanelColour } from '../../../firmware-protocol/palettes.ts';

/** The units of light that make 1. Sums of 6561 weighted units still fit 32 bits (`settle`). */
export const one = 1 << 16;

/** Returns light in units. */
export function inUnits(light: Float64Array): Int32Array {
  return Int32Array.from(light, (part) => Math.round(part * one));
}

/** The eye's weights of red, green and blue, in 256ths. */
export const redWeight = 54;
export const greenWeight = 183;
export const blueWeight = 19;

/** Returns the luminance of light in units, in units. */
export function luminance(red: number, green: number, blue: number): number {
  return (redWeight * red + greenWeight * green + blueWeight * blue) >> 8;
}

/** The linear light of each sRGB byte, 0 to 1. */
export const linearOfByte: Float64Array = Float64Array.from({ length: 256 }, (_, byte) => {
  const encoded = byte / 255;
  return encoded <= 0.04045 ? encoded / 12.92 : ((encoded + 0.055) / 1.055) ** 2.4;
});

/** Reads `#rrggbb` as bytes of red, green and blue. A malformed colour is a bug of the panel record. */
export function bytesOfColour(hex: string): readonly [number, number, number] {
  if (!/^#[0-9a-f]{6}$/i.test(hex)) throw new Error(`"${hex}" is not a colour of the form #rrggbb`);
  const value = Number.parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 0xff, value & 0xff];
}

/**
 * Returns the inks of a panel in relative light, three numbers an ink, in the order of `colours`. The darkest and the
 * lightest measured ink are the panel's black and white.
 */
export function relativeInks(colours: readonly PanelColour[]): Float64Array {
  const linear = colours.map((colour) => bytesOfColour(colour.measured).map((byte) => linearOfByte[byte] as number));
  const [black, white] = blackAndWhite(colours).map((at) => linear[at]);
  if (black === undefined || white === undefined) throw new Error('a panel has at least two inks');
  return Float64Array.from(
    linear.flatMap((ink) =>
      ink.map((part, channel) => {
        const low = black[channel] as number;
        return (part - low) / ((white[channel] as number) - low);
      }),
    ),
  );
}

/**
 * Writes OKLab of linear red, green and blue to the first three numbers of `out`. Light below none keeps its sign.
 * Source: Björn Ottosson, "A perceptual color space for image processing".
 */
export function writeOklab(red: number, green: number, blue: number, out: Float64Array): void {
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  out[0] = 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s;
  out[1] = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
  out[2] = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
}
