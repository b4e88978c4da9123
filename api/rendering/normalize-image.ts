/**
 * Turns an image from outside into a plain PNG. The bytes decide its format; only JPEG, PNG, WebP and where allowed GIF
 * are accepted. The result is encoded here, with no metadata, no transparency and no more than 1600 pixels a side.
 */
import type { Metadata } from 'sharp';
import { fairShares, type Sharer } from '../../runtime/fair-shares.ts';
import { said } from '../../runtime/said-sentence.ts';
import { type FileContent, readContent } from '../http/uploaded-file.ts';
import { bareImage, type ImageFormat } from './bare-image/bare-image.ts';
import { maxImagePixels, maxImageSide, openImage, readImageHeader } from './configure-sharp.ts';

/** Longest side of a normalized image, in pixels: the larger panel's. */
const maxSide = 1600;

/** A picture made safe: oriented, without metadata, fitted within 1600 x 1600, as PNG; or what is wrong with the bytes. */
export type NormalizedImage =
  | { readonly ok: true; readonly png: Buffer }
  | { readonly ok: false; readonly problem: 'unsupported' | 'too-many-pixels' | 'broken' };

/** The hint of `too-many-pixels`. */
export const tooManyPixels = said('many-pixels');

/** The place of an image in the queue for decoding (T-60). */
export interface QueuePlace {
  /** The organization, then the connection or the account. */
  readonly sharer: Sharer;
  /** Cancels an image that still waits. */
  readonly signal: AbortSignal;
}

/** The owner of the image, and the formats that are accepted. */
export interface ImageOptions {
  /** The organization, then the connection or the account. */
  readonly sharer: Sharer;
  /** The formats; by default those that the contract names for pushed content. */
  readonly formats?: readonly ImageFormat[];
  /** Cancels the image while it waits: the call rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

const pushedFormats: readonly ImageFormat[] = ['jpeg', 'png', 'webp'];

/** Images of strangers are decoded in a fair order, a few at once for the whole process (T-60). */
const decoding = fairShares({ atOnce: 2 });
/** Images that cannot be decoded row by row take up to some hundred megabytes: one of them is decoded at once. */
const decodingWhole = fairShares({ atOnce: 1 });
const maxHeldBytes = 64 * 1024 * 1024;

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
 * The limits of its size are judged by the header, before anything is decoded.
 */
export async function normalizeImage(
  image: FileContent,
  { sharer, formats = pushedFormats, signal }: ImageOptions,
): Promise<NormalizedImage> {
  // The bytes are read when the image has its place: a waiting image is not in memory (T-61).
  const normalize = async (mayHold: boolean) => normalizeBytes(await readContent(image), { formats, mayHold });
  const queued = (mayHold: boolean) => decoding.run(sharer, () => normalize(mayHold), signal);
  const byRows = await queued(false);
  if (byRows !== 'held-whole') return byRows;
  const whole = await decodingWhole.run(sharer, () => queued(true), signal);
  if (whole === 'held-whole') throw new Error('an image that may be held whole was not decoded');
  return whole;
}

const broken = { ok: false, problem: 'broken' } as const;

/**
 * Decodes an image, if it may take the memory.
 * @returns `held-whole` in place of decoding an image that takes much memory, unless it may
 */
async function normalizeBytes(
  given: Uint8Array,
  { formats, mayHold }: { readonly formats: readonly ImageFormat[]; readonly mayHold: boolean },
): Promise<NormalizedImage | 'held-whole'> {
  const announced = announcedFormat(given);
  if (announced === undefined || !formats.includes(announced)) return { ok: false, problem: 'unsupported' };
  const bare = bareImage(given, announced);
  if (bare === undefined) return broken;
  try {
    const header = await readImageHeader(bare);
    const { format, width, height } = header;
    if (format !== announced) return { ok: false, problem: 'unsupported' };
    const isTooLarge = width * height > maxImagePixels || Math.max(width, height) > maxImageSide;
    if (isTooLarge) return { ok: false, problem: 'too-many-pixels' };
    if (!mayHold && heldBytes(header) > maxHeldBytes) return 'held-whole';
    const png = await openImage(bare)
      .autoOrient()
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb')
      .resize(maxSide, maxSide, { fit: 'inside', withoutEnlargement: true })
      .png({ compressionLevel: 6 })
      .toBuffer();
    return { ok: true, png };
  } catch {
    // The library's own words for its failure mean one thing to the sender.
    return broken;
  }
}

/** Returns the bytes that the library holds of an image, unless it takes it row by row. */
function heldBytes({ format, width, height, channels, depth, isProgressive }: Metadata): number {
  const isByRow = (format === 'jpeg' || format === 'png') && isProgressive !== true;
  // A progressive JPEG is held as coefficients, of two bytes each.
  const sampleBytes = format === 'jpeg' || depth === 'ushort' ? 2 : 1;
  return isByRow ? 0 : width * height * channels * sampleBytes;
}
