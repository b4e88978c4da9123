/** Tells a picture that shows nothing: a page that never drew must not take the place of the last good picture. */
import { openImage } from './configure-sharp.ts';

/** A PNG of one colour is far smaller than this; one of a page with words on it rarely is. */
const fewestBytesPerPixel = 1 / 32;

/** Whether every pixel of a screenshot is the browser's own white. */
export async function isBlank(png: Uint8Array, width: number, height: number): Promise<boolean> {
  if (png.length > 4_096 + width * height * fewestBytesPerPixel) return false;
  const pixels = await openImage(png).removeAlpha().raw().toBuffer();
  return pixels.every((byte) => byte === 255);
}
