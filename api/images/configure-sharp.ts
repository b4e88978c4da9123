/**
 * Configures the image library once for the whole process: it may read the formats we take and no other, keeps nothing,
 * and works on one picture with one thread, because its callers bound the parallelism.
 */
import { createRequire } from 'node:module';
import type { Metadata, Sharp, default as sharp } from 'sharp';

let loaded: typeof sharp | undefined;

/** Loads the library with the first image: a service that shows none holds ten megabytes less. */
function library(): typeof sharp {
  if (loaded === undefined) {
    loaded = createRequire(import.meta.url)('sharp') as typeof sharp;
    loaded.block({ operation: ['VipsForeignLoad'] });
    loaded.unblock({
      operation: ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif'].map((format) => `VipsForeignLoad${format}`),
    });
    loaded.cache(false);
    loaded.concurrency(1);
  }
  return loaded;
}

/** The number of pixels that an image may have (T-32): those of telephones have up to 50 million. */
export const maxImagePixels = 60_000_000;

/** An image of more pixels is halved in both directions while it is decoded: it takes no more memory than one of these. */
export const maxWholePixels = 40_000_000;

/**
 * The longest side that an image may have: the most that JPEG can express. A PNG of one column and forty million rows
 * takes twenty times as long as a photograph, because the library works by rows (T-32).
 */
export const maxImageSide = 65_535;

/** The seconds that one image may take. The costliest known image takes a tenth of that on an idle machine. */
const timeoutSeconds = 20;

/** How image bytes are read. */
export interface ImageReading {
  /** Decodes them although the library complains of them: what is missing is gray. */
  readonly isForgiving?: boolean;
  /** Takes their numbers as they are: no colour profile is followed. */
  readonly isUnconverted?: boolean;
}

/** Opens image bytes the careful way. Nothing is decoded before an output is asked for. */
export function openImage(bytes: Uint8Array, { isForgiving = false, isUnconverted = false }: ImageReading = {}): Sharp {
  return library()(bytes, {
    limitInputPixels: maxImagePixels,
    failOn: isForgiving ? 'none' : 'warning',
    sequentialRead: true,
    ignoreIcc: isUnconverted,
  }).timeout({ seconds: timeoutSeconds });
}

/** Reads the header alone, without the pixel limit: refusing too large an image is the caller's answer to give. */
export function readImageHeader(bytes: Uint8Array): Promise<Metadata> {
  return library()(bytes, { limitInputPixels: false, failOn: 'none' }).metadata();
}

/** Opens raw sRGB, three bytes a pixel, or gray of one. */
export function openPixels(rgb: Uint8Array, width: number, height: number, channels: 1 | 3 = 3): Sharp {
  return library()(rgb, { raw: { width, height, channels } });
}

/** Reads the pixels of an opaque image that was made here: sRGB, three bytes each. */
export function readPixels(image: Uint8Array): Promise<Uint8Array> {
  return openImage(image).removeAlpha().toColourspace('srgb').raw().toBuffer();
}

/** Returns the strategy that finds what a person looks at first, for `position`. */
export function atSubject(): number {
  return library().strategy.attention;
}
