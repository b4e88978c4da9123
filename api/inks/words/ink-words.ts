/** Puts words into the inks of a panel, after its picture was dithered: letters are never dots. */
import { blackAndWhite } from '../../../firmware-protocol/palettes.ts';
import type { PanelColour } from '../../../firmware-protocol/panels.ts';

/** Values of a mask. */
export const [noWords, letterPixel, haloPixel] = [0, 1, 2] as const;

/** The rows of a picture on which the words stand. */
export interface WordsMask {
  readonly top: number;
  /** One value for each pixel of these rows. */
  readonly pixels: Uint8Array;
}

/** Words in inks: for each pixel from `top` on 0, or one more than the ink's place among the panel's colours. */
export interface InkedWords {
  readonly top: number;
  readonly pixels: Uint8Array;
}

/** A ground whose mean is below this, of 255, is dark: letters are white on it. */
const darkGround = 96;

/**
 * Chooses the inks: black letters with a white halo, and on a dark ground white ones with a black halo, which changes less
 * of the picture.
 * @param rgb the picture before it is dithered, three bytes a pixel
 */
export function inkWords(
  { top, pixels }: WordsMask,
  {
    rgb,
    width,
    colours,
  }: { readonly rgb: Uint8Array; readonly width: number; readonly colours: readonly PanelColour[] },
): InkedWords {
  const [black, white] = blackAndWhite(colours);
  const isDark = meanBelow(pixels, rgb.subarray(top * width * 3)) < darkGround;
  const inks = new Uint8Array(3);
  inks[letterPixel] = (isDark ? white : black) + 1;
  inks[haloPixel] = (isDark ? black : white) + 1;
  return { top, pixels: pixels.map((value) => inks[value] as number) };
}

/** Returns the mean brightness of what words will cover. */
function meanBelow(mask: Uint8Array, rgb: Uint8Array): number {
  let [sum, count] = [0, 0];
  for (let pixel = 0; pixel < mask.length; pixel++) {
    if (mask[pixel] === noWords) continue;
    const [red, green, blue] = [rgb[pixel * 3] as number, rgb[pixel * 3 + 1] as number, rgb[pixel * 3 + 2] as number];
    sum += 0.299 * red + 0.587 * green + 0.114 * blue;
    count++;
  }
  return count === 0 ? 255 : sum / count;
}

/** Returns a dithered picture with the words in it. */
export function withWords(indices: Uint8Array, width: number, { top, pixels }: InkedWords): Uint8Array {
  const written = indices.slice();
  const start = top * width;
  for (let pixel = 0; pixel < pixels.length; pixel++) {
    if (pixels[pixel] !== 0) written[start + pixel] = (pixels[pixel] as number) - 1;
  }
  return written;
}
