/**
 * Turns an image from outside into a plain one. The bytes decide its format; only JPEG, PNG, WebP and where allowed GIF
 * are accepted. The result is encoded here, with no metadata and no transparency. At most 1600 pixels a side are kept
 * of pushed content; of uploads all are, because a panel of any size may show any part of them.
 */
import { reasonOf } from '../../reasons/reason.ts';
import { fairShares, type Sharer } from '../../runtime/fair-shares.ts';
import { type FileContent, readContent } from '../http/uploaded-file.ts';
import { bareHeif } from './bare-heif.ts';
import { bareImage, type ImageFormat } from './bare-image/bare-image.ts';
import { shareOfWebp } from './bare-image/bare-webp.ts';
import type { ImageNote } from './bare-image/image-notes.ts';
import { measureSharpness } from './blur.ts';
import { type ImageReading, maxImagePixels, maxImageSide, readImageHeader } from './configure-sharp.ts';
import { encodeImage, heldBytes, isTooMuch } from './encode-image.ts';
import { type HeifFormat, heifFormat } from './heif-format.ts';
import { BrokenBoxes } from './heif-items.ts';
import { shareOfRows } from './judge-loss.ts';
import { HeifError, limitExceeded } from './libheif.ts';

/**
 * A picture made safe: upright, sRGB, without metadata, as PNG, or as JPEG where it is larger than every panel; or what
 * is wrong with the bytes.
 */
export type NormalizedImage =
  | {
      readonly ok: true;
      readonly bytes: Buffer;
      readonly notes: readonly ImageNote[];
      /** Its sharpness, if that was asked for and the picture has edges to measure it by. */
      readonly sharpness?: number | undefined;
    }
  | { readonly ok: false; readonly problem: 'too-many-pixels' | 'broken' }
  /** A busy machine had no time for it; that implies nothing about the image. */
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
  /** Keeps every pixel for panels of any size; otherwise at most 1600 a side are kept, as of pushed content. */
  readonly keepsDetail?: boolean;
  /** The longest side that is kept of a picture whose detail is not, in pixels; left out, 1600. */
  readonly maxSide?: number;
  /** Measures how sharp the picture is, while it is at hand. */
  readonly measuresSharpness?: boolean;
  /** Cancels the image while it waits: the call rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

const pushedFormats: readonly ImageFormat[] = ['jpeg', 'png', 'webp'];

/** Images of strangers are decoded in a fair order, a few at once for the whole process (T-60). */
const decoding = fairShares({ atOnce: 2 });
/** Images that cannot be decoded row by row take up to some hundred megabytes: one of them is decoded at once. */
const decodingWhole = fairShares({ atOnce: 1 });
const maxSharedBytes = 64 * 1024 * 1024;

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
  { sharer, formats = pushedFormats, keepsDetail = false, maxSide, measuresSharpness = false, signal }: ImageOptions,
): Promise<NormalizedImage> {
  // The bytes are read when the image has its place: a waiting image is not in memory (T-61).
  const normalize = async (mayHold: boolean) => {
    const made = await normalizeBytes(await readContent(image), { formats, keepsDetail, maxSide, mayHold });
    if (!measuresSharpness || made === 'held-whole' || !made.ok) return made;
    // A picture that takes too long to measure is not held back for that.
    return { ...made, sharpness: await measureSharpness(made.bytes).catch(() => undefined) };
  };
  const queued = (mayHold: boolean) => decoding.run(sharer, () => normalize(mayHold), signal);
  const byRows = await queued(false);
  if (byRows !== 'held-whole') return byRows;
  const whole = await decodingWhole.run(sharer, () => queued(true), signal);
  if (whole === 'held-whole') throw new Error('an image that may be held whole was not decoded');
  return whole;
}

const broken = { ok: false, problem: 'broken' } as const;

interface DecodeOptions extends Required<Pick<ImageOptions, 'formats' | 'keepsDetail'>> {
  readonly maxSide: number | undefined;
  readonly mayHold: boolean;
}

/**
 * Decodes an image, if it may take the memory.
 * @returns `held-whole` in place of decoding an image that takes much memory, unless it may
 */
async function normalizeBytes(
  given: Uint8Array,
  { formats, keepsDetail, maxSide, mayHold }: DecodeOptions,
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
  if (isTooLarge || isTooMuch(header, keepsDetail)) return { ok: false, problem: 'too-many-pixels' };
  if (!mayHold && heldBytes(header, keepsDetail) > maxSharedBytes) return 'held-whole';
  const encode = (reading: ImageReading) => encodeImage(bare.bytes, header, { keepsDetail, maxSide, reading });
  const bytes = await encode({}).catch(tooSlow);
  if (bytes === 'too-slow') return { ok: false, problem: 'too-slow' };
  if (bytes !== undefined) return { ok: true, bytes, notes: bare.notes };
  // The library's own words for its failure are not for the sender: what counts is the pixels that are there.
  const share = await shareOfRows(bare.bytes, announced).catch(() => 0);
  if (share < wholeShare) return cutOr(broken, share);
  const whole = await encode({ isForgiving: true }).catch(() => undefined);
  return whole === undefined ? broken : { ok: true, bytes: whole, notes: [...bare.notes, 'parts-overlooked'] };
}

/** Decodes a picture of a phone, which is held whole. */
async function normalizeHeif(given: Uint8Array, format: HeifFormat, keepsDetail: boolean): Promise<NormalizedImage> {
  try {
    const bare = await bareHeif(given, format);
    if (bare === 'broken' || bare === 'too-many-pixels') return { ok: false, problem: bare };
    const header = await readImageHeader(bare.bytes).catch(() => undefined);
    if (header === undefined) return broken;
    const isTooLarge = header.width * header.height > maxImagePixels || isTooMuch(header, keepsDetail);
    if (isTooLarge) return { ok: false, problem: 'too-many-pixels' };
    const bytes = await encodeImage(bare.bytes, header, { keepsDetail }).catch(tooSlow);
    if (bytes === 'too-slow') return { ok: false, problem: 'too-slow' };
    return bytes === undefined ? broken : { ok: true, bytes, notes: bare.notes };
  } catch (error) {
    if (error instanceof BrokenBoxes) return broken;
    // Any other error is not an answer of the decoder, whose state is then unknown.
    if (!(error instanceof HeifError)) throw error;
    return error.subcode === limitExceeded ? { ok: false, problem: 'too-many-pixels' } : broken;
  }
}

const cutOr = (otherwise: typeof broken, share: number): NormalizedImage =>
  share > 0 && share < 1 ? { ok: false, problem: 'cut', share } : otherwise;

/** The library aborts work that takes too long with a distinct error. */
const tooSlow = (error: unknown): 'too-slow' | undefined =>
  error instanceof Error && /timeout/i.test(error.message) ? 'too-slow' : undefined;

/** A picture with this share of its rows is whole for everybody who looks at it. */
const wholeShare = 0.99;
