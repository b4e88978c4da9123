/**
 * Encodes an image from outside as it is kept: at most 1600 pixels a side of pushed content, all pixels of uploads up
 * to 40 megapixels, because a panel of any size may show any part of them.
 */
import type { Metadata, Sharp } from 'sharp';
import { panels } from '../../firmware-protocol/panels.ts';
import { type ImageReading, maxWholePixels, openImage, openPixels, readImageHeader } from './configure-sharp.ts';
import { isDeepGray, shallowGray } from './gray-depth.ts';
import { reduceLight } from './linear-light.ts';
import { uncompressedPng } from './uncompressed-png.ts';

/** The longest side of a pushed picture that is kept, in pixels: the contract's (spec: content). */
const pushedSide = 1600;

/** A picture up to this side is kept to the pixel: it may be ready for a panel. */
const exactSide = Math.max(...Object.values(panels).flatMap(({ width, height }) => [width, height]));

/** The longest side that is kept, in pixels: eight times the largest panel, and twice that for a panorama. */
const keptSide = 16 * exactSide;

/** How an image is encoded. */
interface Encoding {
  readonly keepsDetail: boolean;
  /** The longest side that is kept without detail; left out, that of pushed pictures. */
  readonly maxSide?: number | undefined;
  readonly reading?: ImageReading;
}

/** Encodes an image. `bytes` and `header` are those of the same image. */
export async function encodeImage(
  bytes: Buffer,
  header: Metadata,
  { keepsDetail, maxSide = pushedSide, reading = {} }: Encoding,
): Promise<Buffer> {
  const read = isDeepGray(header) ? await shallowGray(bytes, reading) : bytes;
  const sides = keepsDetail ? 'all' : maxSide;
  if (!isHalved(header)) return encodePlain(openImage(read, reading), header, sides);
  const half = await halveImage(read, header, reading);
  const halfHeader = { ...(await readImageHeader(half)), chromaSubsampling: header.chromaSubsampling };
  return encodePlain(openImage(half), halfHeader, sides);
}

/** Returns whether an image has more pixels than are kept. */
const isHalved = ({ width, height }: Metadata): boolean => width * height > maxWholePixels;

/**
 * Returns an image with half of its pixels in both directions, with its profile and its orientation. It is made smaller before it
 * is turned, which would hold all pixels. Decoders of JPEG and WebP do it while they decode, without holding the pixels at
 * all; other images are reduced by light, before their profile is followed: those of cameras stand for light as sRGB does.
 */
async function halveImage(bytes: Buffer, header: Metadata, reading: ImageReading): Promise<Buffer> {
  const { width, height, space, orientation, icc } = header;
  const [columns, rows] = [width, height].map((side) => Math.max(1, side >> 1)) as [number, number];
  const hasInks = space === 'cmyk';
  const opened = openImage(bytes, { ...reading, isUnconverted: !hasInks }).flatten({ background: '#ffffff' });
  const half = isHalvedByDecoder(header)
    ? opened.resize(columns, rows, { fit: 'fill' })
    : reduceLight(opened, columns, rows, { fit: 'fill' });
  const { data, info } = await half
    .toColourspace(isGray(header) ? 'b-w' : 'srgb')
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const pixels = { rgb: data, width: info.width, height: info.height };
  return uncompressedPng(pixels, { profile: hasInks ? undefined : icc, orientation });
}

const isHalvedByDecoder = ({ format }: Metadata): boolean => format === 'jpeg' || format === 'webp';
const isGray = ({ space }: Metadata): boolean => space === 'b-w' || space === 'grey16';

/** Encodes a picture as it is kept: to the pixel where a panel may have its size, or with a longest side. */
async function encodePlain(opened: Sharp, header: Metadata, sides: 'all' | number): Promise<Buffer> {
  const { width, height, chromaSubsampling, depth, space, hasProfile } = header;
  const plain = opened.autoOrient().flatten({ background: '#ffffff' });
  // The library brings 16 bits with a profile into a wider space than sRGB, and leaves them there unless it is asked to move them.
  if (depth === 'ushort' && space !== 'grey16' && hasProfile) plain.withIccProfile('srgb', { attach: false });
  const side = sides === 'all' ? keptSide : sides;
  const isReduced = Math.max(width, height) > side;
  // A picture with a profile cannot be reduced in linear light at once: the library returns black.
  const reduced = isReduced && isConverted(header) ? await inSrgb(plain) : plain;
  const fitted = isReduced ? reduceLight(reduced, side, side, { fit: 'inside' }) : plain;
  const kept = fitted.toColourspace('srgb');
  if (sides !== 'all' || Math.max(width, height) <= exactSide) return kept.png({ compressionLevel: 6 }).toBuffer();
  const subsampling = chromaSubsampling === '4:2:0' ? '4:2:0' : '4:4:4';
  // Codes that are chosen for the very picture save a sixth of its bytes, and double the time and hold all of it.
  return kept.jpeg({ quality: 95, chromaSubsampling: subsampling, optimiseCoding: false }).toBuffer();
}

/** Returns whether a profile, the file's or a printer's, defines what the numbers stand for. */
const isConverted = ({ hasProfile, space }: Metadata): boolean => hasProfile || space === 'cmyk';

/** Brings a picture into sRGB, whole. */
async function inSrgb(plain: Sharp): Promise<Sharp> {
  const { data, info } = await plain.removeAlpha().toColourspace('srgb').raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  return openPixels(data, width, height, channels === 1 ? 1 : 3);
}

/**
 * The bytes that a progressive JPEG of 60 megapixels takes, excluding the result that is kept. Larger ones of 40
 * megapixels are accepted as ever.
 */
const maxHeldBytes = 360_000_000;

/** The decoder of AVIF holds 18 bytes for each pixel: more of them take more than 40 million of ten bits always did. */
const maxAvifPixels = 52_000_000;

/** Returns whether an image takes too much memory although its pixels would be few enough. */
export function isTooMuch(header: Metadata, keepsDetail: boolean): boolean {
  if (header.format === 'heif' && header.width * header.height > maxAvifPixels) return true;
  return isHalved(header) && heldBytes(header, keepsDetail) > maxHeldBytes;
}

/** Returns the bytes that the library holds of an image, unless it takes it row by row. */
export function heldBytes(header: Metadata, keepsDetail: boolean): number {
  const { format, width, height, depth, isProgressive, orientation = 1 } = header;
  const isByRow = (format === 'jpeg' || format === 'png') && isProgressive !== true && !isDeepGray(header);
  // A progressive JPEG is held as coefficients, of two bytes each.
  const sampleBytes = format === 'jpeg' || depth === 'ushort' ? 2 : 1;
  const isReduced = Math.max(width, height) > (keepsDetail ? keptSide : pushedSide);
  // Rows become columns, or the first the last: all are needed.
  const isTurned = orientation > 2 && !isHalved(header);
  const isInSrgb = isReduced && isConverted(header) && !isHalved(header);
  return width * height * ((isByRow ? 0 : channelsOf(header) * sampleBytes) + (isTurned ? 3 : 0) + (isInSrgb ? 3 : 0));
}

/** Colours at half of the resolution in both directions take a quarter. */
const channelsOf = ({ chromaSubsampling, channels }: Metadata): number =>
  chromaSubsampling === '4:2:0' ? 1.5 : channels;
