/**
 * The image library, configured once for the whole process: it may read the formats we take and no other, keeps
 * nothing, and works on one picture with one thread, because parallelism is bounded by those who call it.
 */
import PQueue from 'p-queue';
import sharp, { type Metadata, type Sharp } from 'sharp';

sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['Jpeg', 'Png', 'Webp', 'Nsgif'].map((format) => `VipsForeignLoad${format}`) });
sharp.cache(false);
sharp.concurrency(1);

/** Pictures of strangers that are decoded at once; each may take a hundred megabytes for a moment. */
export const decoding = new PQueue({ concurrency: 2 });

/** Most pixels an image may have (T-32, F12). */
export const maxImagePixels = 40_000_000;

/** Longest time one image may take, in seconds; progressive files with thousands of scans end here. */
const timeoutSeconds = 20;

/** Opens image bytes the careful way. Nothing is decoded before an output is asked for. */
export function openImage(bytes: Uint8Array): Sharp {
  return sharp(bytes, { limitInputPixels: maxImagePixels, failOn: 'warning', sequentialRead: true }).timeout({
    seconds: timeoutSeconds,
  });
}

/** Reads the header alone, without the pixel limit: refusing too large an image is the caller's answer to give. */
export function readImageHeader(bytes: Uint8Array): Promise<Metadata> {
  return sharp(bytes, { limitInputPixels: false, failOn: 'warning' }).metadata();
}

/** Opens raw sRGB, three bytes a pixel. */
export function openPixels(rgb: Uint8Array, width: number, height: number): Sharp {
  return sharp(rgb, { raw: { width, height, channels: 3 } });
}

/** The pixels of an opaque image that was made here: sRGB, three bytes each. */
export function readPixels(image: Uint8Array): Promise<Uint8Array> {
  return openImage(image).removeAlpha().toColourspace('srgb').raw().toBuffer();
}
