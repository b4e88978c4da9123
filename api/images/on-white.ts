/** Lays decoded pixels on white where a second picture marks them as transparent. */
import type { RgbPixels } from './seen-pixels.ts';

/**
 * Changes the pixels.
 * @param mask how opaque each of them is, in its first channel: of any size, since the files of some editors have a smaller one
 * @param isPremultiplied whether the pixels are premultiplied, that is, blended with black
 */
export function onWhite({ rgb, width, height }: RgbPixels, mask: RgbPixels, isPremultiplied: boolean): void {
  const columns = Int32Array.from({ length: width }, (_, x) => Math.floor(((x + 0.5) * mask.width) / width) * 3);
  for (let y = 0, at = 0; y < height; y++) {
    const row = Math.floor(((y + 0.5) * mask.height) / height) * mask.width * 3;
    for (let x = 0; x < width; x++) {
      const opaque = mask.rgb[row + (columns[x] as number)] as number;
      const white = 255 - opaque;
      for (let channel = 0; channel < 3; channel++, at++) {
        const value = rgb[at] as number;
        rgb[at] = isPremultiplied ? Math.min(255, value + white) : Math.round((value * opaque) / 255) + white;
      }
    }
  }
}
