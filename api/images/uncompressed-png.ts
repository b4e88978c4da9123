/** Hands decoded pixels to the image library as a file, since only a file can carry a profile and an orientation. */
import { deflateSync } from 'node:zlib';
import { pngChunk } from './bare-image/bare-png.ts';
import { exifOf } from './bare-image/orientation.ts';
import { openPixels } from './configure-sharp.ts';
import type { RgbPixels } from './seen-pixels.ts';

/** The facts in the file besides its pixels. */
interface PngNotes {
  readonly profile?: Buffer | undefined;
  /** That of EXIF, 1 to 8. */
  readonly orientation?: number | undefined;
}

/** The place of the first chunk after the header. */
const afterHeader = 8 + 25;

/** Returns a PNG of sRGB, or of gray where there is one byte for each pixel. */
export async function uncompressedPng(
  { rgb, width, height }: RgbPixels,
  { profile, orientation = 1 }: PngNotes = {},
): Promise<Buffer> {
  const channels = rgb.length === width * height ? 1 : 3;
  const png = await openPixels(rgb, width, height, channels).png({ compressionLevel: 0 }).toBuffer();
  const sides = exifOf(orientation);
  const notes = [
    ...(profile === undefined
      ? []
      : [pngChunk('iCCP', Buffer.concat([Buffer.from('made\0\0', 'latin1'), deflateSync(profile)]))]),
    ...(sides === undefined ? [] : [pngChunk('eXIf', sides)]),
  ];
  return notes.length === 0 ? png : Buffer.concat([png.subarray(0, afterHeader), ...notes, png.subarray(afterHeader)]);
}
