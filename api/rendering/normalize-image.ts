/**
 * An image from outside becomes a plain PNG: the bytes decide what it is, only JPEG, PNG, WebP and where said
 * GIF get in, and what comes out was encoded here, with no metadata, no transparency and no more than 1600 pixels a side (T-32, F12).
 */
import { decoding, maxImagePixels, openImage, readImageHeader } from './configure-sharp.ts';
import { firstGifFrame } from './first-gif-frame.ts';

/** Longest side of a normalized image, in pixels: the larger panel's. */
const longestSide = 1600;

/** A normalized image, or what is wrong with the bytes. */
export type NormalizedImage =
  | { readonly ok: true; readonly png: Buffer; readonly width: number; readonly height: number }
  | { readonly ok: false; readonly problem: 'unsupported' | 'too-many-pixels' | 'broken' };

/** What can get in. */
export type ImageFormat = 'jpeg' | 'png' | 'webp' | 'gif';

/** What the contract names for pushed content. */
const pushedFormats: readonly ImageFormat[] = ['jpeg', 'png', 'webp'];

/** The format that the first bytes announce. */
function announcedFormat(bytes: Uint8Array): ImageFormat | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 12)).toString('latin1');
  if (head.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (/^GIF8[79]a/.test(head)) return 'gif';
  if (head.startsWith('RIFF') && head.slice(8) === 'WEBP') return 'webp';
  return undefined;
}

/**
 * Normalizes an image: first frame, upright, sRGB, on white, at most 1600x1600 and never enlarged.
 * The pixel limit is judged by the header, before anything is decoded.
 */
export async function normalizeImage(
  given: Uint8Array,
  formats: readonly ImageFormat[] = pushedFormats,
): Promise<NormalizedImage> {
  const announced = announcedFormat(given);
  if (announced === undefined || !formats.includes(announced)) return { ok: false, problem: 'unsupported' };
  const bytes = announced === 'gif' ? firstGifFrame(given) : given;
  if (bytes === undefined) return { ok: false, problem: 'broken' };
  try {
    const header = await readImageHeader(bytes);
    if (header.format !== announced) return { ok: false, problem: 'unsupported' };
    if (header.width * header.height > maxImagePixels) return { ok: false, problem: 'too-many-pixels' };
    const { data, info } = await decoding.add(() =>
      openImage(bytes)
        .autoOrient()
        .flatten({ background: '#ffffff' })
        .toColourspace('srgb')
        .resize(longestSide, longestSide, { fit: 'inside', withoutEnlargement: true })
        .png({ compressionLevel: 6 })
        .toBuffer({ resolveWithObject: true }),
    );
    return { ok: true, png: data, width: info.width, height: info.height };
  } catch {
    // The library says in words of its own what it could not read; to the sender it is one thing.
    return { ok: false, problem: 'broken' };
  }
}
