/**
 * Turns an image from outside into a plain one. The bytes decide its format; only JPEG, PNG, WebP and where allowed GIF
 * are accepted. The result is encoded here, with no metadata and no transparency. Of pushed content no more than 1600
 * pixels a side are kept; of uploads all are, because a panel of any size may show any part of them.
 */
import type { Metadata, Sharp } from 'sharp';
import { panels } from '../../firmware-protocol/panels.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { fairShares, type Sharer } from '../../runtime/fair-shares.ts';
import { type FileContent, readContent } from '../http/uploaded-file.ts';
import { bareHeif, type HeifFormat, heifFormat } from './bare-heif.ts';
import { bareImage, type ImageFormat } from './bare-image/bare-image.ts';
import { shareOfWebp } from './bare-image/bare-webp.ts';
import type { ImageNote } from './bare-image/image-notes.ts';
import { maxImagePixels, maxImageSide, openBroken, openImage, openPixels, readImageHeader } from './configure-sharp.ts';
import { isDeepGray, shallowGray } from './gray-depth.ts';
import { shareOfRows } from './judge-loss.ts';
import { HeifError, limitExceeded } from './libheif.ts';
import { reduceLight } from './linear-light.ts';

/** The longest side of a pushed picture that is kept, in pixels: the contract's (spec: content). */
const pushedSide = 1600;

/** A picture up to this side is kept to the pixel: it may be ready for a panel. */
const exactSide = Math.max(...Object.values(panels).flatMap(({ width, height }) => [width, height]));

/** The longest side that is kept, in pixels: eight times the largest panel, and twice that for a panorama. */
const keptSide = 16 * exactSide;

/**
 * A picture made safe: upright, sRGB, without metadata, as PNG, or as JPEG where it is larger than every panel; or what
 * is wrong with the bytes.
 */
export type NormalizedImage =
  | { readonly ok: true; readonly bytes: Buffer; readonly notes: readonly ImageNote[] }
  | { readonly ok: false; readonly problem: 'too-many-pixels' | 'broken' }
  /** A busy machine had no time for it; that says nothing about the image. */
  | { readonly ok: false; readonly problem: 'too-slow' }
  /** `announced` is the format that the bytes name, if it is one that is taken elsewhere. */
  | { readonly ok: false; readonly problem: 'unsupported'; readonly announced?: ImageFormat | undefined }
  /** The lower part is missing. `share` of its rows is there, from 0 to 1. */
  | { readonly ok: false; readonly problem: 'cut'; readonly share: number };

/** The hint of `too-many-pixels`. */
export const tooManyPixels = reasonOf('many-pixels');

/** A machine that had no time for an image may have some after these seconds. */
export const slowSeconds = 30;

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
  /** Keeps every pixel for panels of any size; left out, no more than 1600 a side are kept, as of pushed content. */
  readonly keepsDetail?: boolean;
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
  return heifFormat(bytes);
}

/**
 * Normalizes an image: first frame, upright, sRGB, on white, never enlarged.
 * The limits of its size are judged by the header, before anything is decoded.
 */
export async function normalizeImage(
  image: FileContent,
  { sharer, formats = pushedFormats, keepsDetail = false, signal }: ImageOptions,
): Promise<NormalizedImage> {
  // The bytes are read when the image has its place: a waiting image is not in memory (T-61).
  const normalize = async (mayHold: boolean) =>
    normalizeBytes(await readContent(image), { formats, keepsDetail, mayHold });
  const queued = (mayHold: boolean) => decoding.run(sharer, () => normalize(mayHold), signal);
  const byRows = await queued(false);
  if (byRows !== 'held-whole') return byRows;
  const whole = await decodingWhole.run(sharer, () => queued(true), signal);
  if (whole === 'held-whole') throw new Error('an image that may be held whole was not decoded');
  return whole;
}

const broken = { ok: false, problem: 'broken' } as const;

interface DecodeOptions extends Required<Pick<ImageOptions, 'formats' | 'keepsDetail'>> {
  readonly mayHold: boolean;
}

/**
 * Decodes an image, if it may take the memory.
 * @returns `held-whole` in place of decoding an image that takes much memory, unless it may
 */
async function normalizeBytes(
  given: Uint8Array,
  { formats, keepsDetail, mayHold }: DecodeOptions,
): Promise<NormalizedImage | 'held-whole'> {
  const announced = announcedFormat(given);
  if (announced === undefined) return { ok: false, problem: 'unsupported' };
  if (!formats.includes(announced)) return { ok: false, problem: 'unsupported', announced };
  if (announced === 'heic' || announced === 'avif') {
    return mayHold ? normalizeHeif(given, announced, keepsDetail) : 'held-whole';
  }
  const bare = bareImage(given, announced);
  // Of a WebP without all of its pixels nothing can be decoded.
  if (bare === undefined) return announced === 'webp' ? cutOr(broken, shareOfWebp(given)) : broken;
  const header = await readImageHeader(bare.bytes).catch(() => undefined);
  if (header === undefined) return broken;
  const { format, width, height } = header;
  if (format !== announced) return { ok: false, problem: 'unsupported' };
  const isTooLarge = width * height > maxImagePixels || Math.max(width, height) > maxImageSide;
  if (isTooLarge) return { ok: false, problem: 'too-many-pixels' };
  if (!mayHold && heldBytes(header, keepsDetail) > maxHeldBytes) return 'held-whole';
  const encode = async (open: (bytes: Buffer) => Sharp): Promise<Buffer> => {
    const read = isDeepGray(header) ? await shallowGray(bare.bytes, open) : bare.bytes;
    return encodePlain(open(read), header, keepsDetail);
  };
  const bytes = await encode(openImage).catch(tooSlow);
  if (bytes === 'too-slow') return { ok: false, problem: 'too-slow' };
  if (bytes !== undefined) return { ok: true, bytes, notes: bare.notes };
  // The library's own words for its failure are not for the sender: what counts is the pixels that are there.
  const share = await shareOfRows(bare.bytes, announced).catch(() => 0);
  if (share < wholeShare) return cutOr(broken, share);
  const whole = await encode(openBroken).catch(() => undefined);
  return whole === undefined ? broken : { ok: true, bytes: whole, notes: [...bare.notes, 'parts-overlooked'] };
}

/** Decodes a picture of a phone, which is held whole. */
async function normalizeHeif(given: Uint8Array, format: HeifFormat, keepsDetail: boolean): Promise<NormalizedImage> {
  try {
    const bare = await bareHeif(given, format);
    if (bare === undefined) return broken;
    const header = await readImageHeader(bare.bytes);
    if (header.width * header.height > maxImagePixels) return { ok: false, problem: 'too-many-pixels' };
    const bytes = await encodePlain(openImage(bare.bytes), header, keepsDetail);
    return { ok: true, bytes, notes: bare.notes };
  } catch (error) {
    const isTooLarge = error instanceof HeifError && error.subcode === limitExceeded;
    return isTooLarge ? { ok: false, problem: 'too-many-pixels' } : broken;
  }
}

const cutOr = (otherwise: typeof broken, share: number): NormalizedImage =>
  share > 0 && share < 1 ? { ok: false, problem: 'cut', share } : otherwise;

/** The library ends what takes too long with an error that says so. */
const tooSlow = (error: unknown): 'too-slow' | undefined =>
  error instanceof Error && /timeout/i.test(error.message) ? 'too-slow' : undefined;

/** A picture with this share of its rows is whole for everybody who looks at it. */
const wholeShare = 0.99;

/** Encodes a picture as it is kept: to the pixel where a panel may have its size. */
async function encodePlain(opened: Sharp, header: Metadata, keepsDetail: boolean): Promise<Buffer> {
  const { width, height, chromaSubsampling, depth, space, hasProfile } = header;
  const plain = opened.autoOrient().flatten({ background: '#ffffff' });
  // The library brings 16 bits with a profile into a wider space than sRGB, and leaves them there unless it is told.
  if (depth === 'ushort' && space !== 'grey16' && hasProfile) plain.withIccProfile('srgb', { attach: false });
  const side = keepsDetail ? keptSide : pushedSide;
  const isReduced = Math.max(width, height) > side;
  // What follows a profile cannot be reduced by light at once: the library gives black.
  const reduced = isReduced && isConverted(header) ? await inSrgb(plain) : plain;
  const fitted = isReduced ? reduceLight(reduced, side, side, { fit: 'inside' }) : plain;
  const kept = fitted.toColourspace('srgb');
  if (!keepsDetail || Math.max(width, height) <= exactSide) return kept.png({ compressionLevel: 6 }).toBuffer();
  const subsampling = chromaSubsampling === '4:2:0' ? '4:2:0' : '4:4:4';
  // Codes that are chosen for the very picture save a sixth of its bytes, and double the time and hold all of it.
  return kept.jpeg({ quality: 95, chromaSubsampling: subsampling, optimiseCoding: false }).toBuffer();
}

/** Tells whether a profile, the file's or a printer's, says what the numbers stand for. */
const isConverted = ({ hasProfile, space }: Metadata): boolean => hasProfile || space === 'cmyk';

/** Brings a picture into sRGB, whole. */
async function inSrgb(plain: Sharp): Promise<Sharp> {
  const { data, info } = await plain.removeAlpha().toColourspace('srgb').raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  return openPixels(data, width, height, channels === 1 ? 1 : 3);
}

/** Returns the bytes that the library holds of an image, unless it takes it row by row. */
function heldBytes(header: Metadata, keepsDetail: boolean): number {
  const { format, width, height, channels, depth, isProgressive } = header;
  const isByRow = (format === 'jpeg' || format === 'png') && isProgressive !== true;
  // A progressive JPEG is held as coefficients, of two bytes each.
  const sampleBytes = format === 'jpeg' || depth === 'ushort' ? 2 : 1;
  const isReduced = Math.max(width, height) > (keepsDetail ? keptSide : pushedSide);
  const srgbBytes = isReduced && isConverted(header) ? width * height * 3 : 0;
  return isByRow && !isDeepGray(header) ? srgbBytes : srgbBytes + width * height * channels * sampleBytes;
}
