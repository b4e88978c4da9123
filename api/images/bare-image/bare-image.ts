/**
 * Reduces an image from outside to the parts that the image library may see: pixels and sizes, one colour profile that
 * is plain, and the orientation. The other parts of a file can keep the library busy for minutes, in code that nobody
 * can interrupt (measured): EXIF in circles, profiles of a thousand steps, a million frames, chunks or texts.
 */
import { bareGif } from './bare-gif.ts';
import { bareJpeg } from './bare-jpeg.ts';
import { barePng } from './bare-png.ts';
import { bareWebp } from './bare-webp.ts';
import type { BareImage } from './image-notes.ts';

/** The formats whose files are stripped of parts here. */
export type PlainFormat = 'jpeg' | 'png' | 'webp' | 'gif';

/** The formats that are accepted; those of phones are read by `bare-heif.ts`. */
export type ImageFormat = PlainFormat | 'heic' | 'avif';

const bareOf: Readonly<Record<PlainFormat, (bytes: Buffer) => BareImage | undefined>> = {
  jpeg: bareJpeg,
  png: barePng,
  webp: bareWebp,
  gif: bareGif,
};

/**
 * Returns the same image without any other part; of an animation, its first frame. Pixels are not looked at.
 * @returns undefined for bytes without a picture of the format
 */
export function bareImage(bytes: Uint8Array, format: PlainFormat): BareImage | undefined {
  return bareOf[format](Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
}
