/**
 * The facts about how a picture was taken, from the beginning of its file: its own local date (FI-12), the camera, and
 * the size as a person sees it. Nothing is decoded, and coordinates are never read. The bytes are a stranger's: each
 * number is a place to look at only where the bytes have it.
 */
import { exifMark, readOrientation } from './bare-image/orientation.ts';
import { type ExifTags, readExifTags } from './exif-tags.ts';
import { heifExif } from './heif-exif.ts';
import { heifFormat } from './heif-format.ts';
import { BrokenBoxes, type HeifFileItem, readHeifItems } from './heif-items.ts';

/** The facts about a picture. What the bytes do not tell is left out. */
export interface CaptureFacts {
  /** The date on the camera's clock, `YYYY-MM-DDTHH:MM:SS`. */
  readonly taken?: string | undefined;
  /** The maker of the camera; empty where the file names none. */
  readonly camera?: string | undefined;
  readonly model?: string | undefined;
  /** The orientation of EXIF, 1 to 8; 1 where the container turns the picture. */
  readonly orientation: number;
  /** The upright pixels. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

/** The findings of a container: its EXIF, `none` if it has none, undefined if the bytes end before it. */
interface Found {
  exif?: Buffer | 'none' | undefined;
  size?: readonly [width: number, height: number] | undefined;
}

/** A photograph has some dozens of segments or chunks. */
const maxParts = 2_048;

/** Reads the facts of a JPEG, PNG, WebP, HEIC or AVIF, of which the end may be missing. */
export function captureFacts(bytes: Buffer): CaptureFacts {
  const head = bytes.toString('latin1', 0, 12);
  if (head.startsWith('\xff\xd8')) return factsOf(inJpeg(bytes));
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return factsOf(inPng(bytes));
  if (head.startsWith('RIFF') && head.endsWith('WEBP')) return factsOf(inWebp(bytes));
  return heifFormat(bytes) === undefined ? { orientation: 1 } : factsOfHeif(bytes);
}

function factsOf({ exif, size }: Found): CaptureFacts {
  const orientation = exif instanceof Buffer ? readOrientation(exif) : 1;
  const upright = size !== undefined && orientation > 4 ? ([size[1], size[0]] as const) : size;
  return { ...tagsOf(exif), orientation, ...sized(upright) };
}

function tagsOf(exif: Found['exif']): Pick<CaptureFacts, 'taken' | 'camera' | 'model'> {
  if (exif === undefined) return {};
  const { taken, make, model }: ExifTags = exif === 'none' ? {} : readExifTags(exif);
  return { taken, camera: make ?? '', model };
}

const sized = (size: Found['size']): Pick<CaptureFacts, 'width' | 'height'> =>
  size === undefined || size[0] === 0 || size[1] === 0 ? {} : { width: size[0], height: size[1] };

function inJpeg(bytes: Buffer): Found {
  const found: Found = {};
  let at = 2;
  for (let part = 0; part < maxParts && at + 4 <= bytes.length; part++) {
    if (bytes[at] !== 0xff) return found;
    const marker = bytes[at + 1] ?? 0;
    // Bytes that fill the space before a marker.
    if (marker === 0xff) {
      at++;
      continue;
    }
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame && at + 9 <= bytes.length) found.size = [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)];
    // Notes stand before the frame.
    if (isFrame || marker === 0xda) return { ...found, exif: found.exif ?? 'none' };
    const data = bytes.subarray(at + 4, end);
    if (marker === 0xe1 && end <= bytes.length && data.subarray(0, exifMark.length).equals(exifMark)) {
      found.exif ??= data;
    }
    at = end;
  }
  return found;
}

function inPng(bytes: Buffer): Found {
  const found: Found = {};
  let hasPixels = false;
  let at = 8;
  for (let part = 0; part < maxParts && at + 8 <= bytes.length; part++) {
    const [length, name] = [bytes.readUInt32BE(at), bytes.toString('latin1', at + 4, at + 8)];
    const [start, end] = [at + 8, at + 8 + length];
    if (name === 'IHDR' && start + 8 <= bytes.length) {
      found.size = [bytes.readUInt32BE(start), bytes.readUInt32BE(start + 4)];
    }
    if (name === 'eXIf' && end <= bytes.length) found.exif ??= bytes.subarray(start, end);
    hasPixels ||= name === 'IDAT';
    at = end + 4;
  }
  // Programs write EXIF before the pixels; of a file that is cut off among them it is taken to have none.
  return hasPixels ? { ...found, exif: found.exif ?? 'none' } : found;
}

const hasExifFlag = 0x08;

function inWebp(bytes: Buffer): Found {
  const found: Found = {};
  let isExtended = false;
  let at = 12;
  for (let part = 0; part < maxParts && at + 8 <= bytes.length; part++) {
    const [name, length] = [bytes.toString('latin1', at, at + 4), bytes.readUInt32LE(at + 4)];
    const [start, end] = [at + 8, at + 8 + length];
    if (name === 'VP8X' && start + 10 <= bytes.length) {
      isExtended = true;
      found.size = [bytes.readUIntLE(start + 4, 3) + 1, bytes.readUIntLE(start + 7, 3) + 1];
      if (((bytes[start] ?? 0) & hasExifFlag) === 0) found.exif = 'none';
    }
    if (name === 'VP8 ' && start + 10 <= bytes.length) {
      found.size ??= [bytes.readUInt16LE(start + 6) & 0x3fff, bytes.readUInt16LE(start + 8) & 0x3fff];
    }
    if (name === 'VP8L' && start + 5 <= bytes.length) {
      const bits = bytes.readUInt32LE(start + 1);
      found.size ??= [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
    }
    if (name === 'EXIF' && end <= bytes.length && !(found.exif instanceof Buffer)) {
      found.exif = bytes.subarray(start, end);
    }
    at = end + (length % 2);
  }
  return isExtended || found.size === undefined ? found : { ...found, exif: found.exif ?? 'none' };
}

function factsOfHeif(bytes: Buffer): CaptureFacts {
  try {
    const { primary, items } = readHeifItems(bytes);
    const item = primary === undefined ? undefined : items.get(primary);
    // The container turns these pictures; the orientation that EXIF repeats is not followed by viewers.
    return { ...tagsOf(heifExif(bytes)), orientation: 1, ...sized(item && seenSize(item)) };
  } catch (error) {
    if (error instanceof BrokenBoxes) return { orientation: 1 };
    throw error;
  }
}

function seenSize({ size, transforms }: HeifFileItem): Found['size'] {
  if (size === undefined) return undefined;
  let [width, height] = size;
  for (const transform of transforms) {
    if (transform.kind === 'turn' && transform.quarters % 2 === 1) [width, height] = [height, width];
    if (transform.kind === 'crop') {
      [width, height] = [Math.min(width, transform.width), Math.min(height, transform.height)].map((side) =>
        Math.max(0, Math.round(side)),
      ) as [number, number];
    }
  }
  return [width, height];
}
