/**
 * Reads HEIC, HEIF and AVIF (ISO/IEC 23008-12): what their containers state about the primary picture, and the pixels
 * of HEIC. Runs only in the process of images. The demands of the file are bounded before (`judge-items.ts`), and by
 * libheif's own limits.
 */

import type { ColourCodes } from './bare-image/coded-profile.ts';
import { maxProfileBytes } from './bare-image/colour-profile.ts';
import { maxImagePixels } from './configure-sharp.ts';
import { decodeTiles } from './decode-tiles.ts';
import type { HeifItems } from './heif-items.ts';
import {
  addressFrom,
  checked,
  HeifError,
  type LibHeif,
  openLibHeif,
  type Pointer,
  putLong,
  putWord,
  wordAt,
} from './libheif.ts';
import { onWhite } from './on-white.ts';
import { type RgbPixels, seenPixels } from './seen-pixels.ts';

/** The container's description of the colours of its primary picture. */
export interface HeifHeader {
  readonly profile: Buffer | undefined;
  readonly codes: ColourCodes | undefined;
}

/** The primary picture as a person sees it, on white, in sRGB or the colours that its header declares. */
export interface HeifPicture extends HeifHeader, RgbPixels {}

/** Places of `heif_security_limits` in memory, as this version lays them out. */
const limits = { pixels: 8, tiles: 16, items: 28, profile: 32, block: 40, total: 64 } as const;
/** Pictures are coded in blocks that overlap their edge. How large they are in the end is judged before. */
const maxCodedPixels = Math.round(1.1 * maxImagePixels);
/** Phones of 48 megapixels make 192 tiles. */
const maxTiles = 1_024;
const maxItems = 1_000;
/** One picture as planes and as pixels, with what the decoder keeps. */
const maxBytes = 640 * 1024 * 1024;

/** A file with the contents of its boxes. */
interface HeifFile extends HeifItems {
  readonly bytes: Uint8Array;
}

/**
 * Reads the header of the primary picture; nothing is decoded.
 * @throws HeifError
 */
export async function readHeifHeader(file: HeifFile): Promise<HeifHeader> {
  const lib = await openLibHeif();
  return withContext(lib, file, (context) => withPrimary(lib, context, (handle) => headerOf(lib, handle)));
}

/**
 * Decodes the primary picture of a HEIC: of a burst, a live photo or a picture with a depth map the one that viewers show.
 * One of more than 40 megapixels is halved in both directions while it is decoded.
 * @returns undefined for a file whose pixels are not all there
 * @throws HeifError
 */
export async function decodeHeic(file: HeifFile): Promise<HeifPicture | undefined> {
  const lib = await openLibHeif();
  return withContext(lib, file, (context) =>
    withPrimary(lib, context, (handle) => {
      const decoded = decodeTiles(lib, handle);
      if (decoded === undefined) return undefined;
      const alpha = (file.auxiliaries.get(file.primary ?? 0) ?? []).find((id) => file.items.get(id)?.isAlpha === true);
      const transforms = file.items.get(file.primary ?? 0)?.transforms ?? [];
      const seen = seenPixels(decoded, transforms, decoded.scale);
      if (alpha === undefined) return { ...headerOf(lib, handle), ...seen };
      const isPremultiplied = lib._heif_image_handle_is_premultiplied_alpha(handle) !== 0;
      const mask = withHandle(
        lib,
        (error, into) => lib._heif_context_get_image_handle(error, context, alpha, into),
        (of) => decodeTiles(lib, of),
      );
      if (mask === undefined) return undefined;
      const own = file.items.get(alpha)?.transforms ?? [];
      const laid = seenPixels(mask, own.length > 0 ? own : transforms, mask.scale);
      onWhite(seen, laid, isPremultiplied);
      return { ...headerOf(lib, handle), ...seen };
    }),
  );
}

/** Opens a file without what turns and crops its pictures: the library refuses some crops, and they are applied here. */
function withContext<Result>(lib: LibHeif, { bytes, items }: HeifFile, read: (context: Pointer) => Result): Result {
  const context = lib._heif_context_alloc();
  const file = lib._malloc(bytes.length);
  try {
    setLimits(lib, lib._heif_context_get_security_limits(context));
    lib.HEAPU8.set(bytes, file);
    for (const { transformedAt } of items.values()) {
      for (const [start, end] of transformedAt) lib.HEAPU8.fill(0, file + start, file + end);
    }
    checked(lib, (error) => lib._heif_context_read_from_memory_without_copy(error, context, file, bytes.length, 0));
    return read(context);
  } finally {
    lib._heif_context_free(context);
    lib._free(file);
  }
}

const withPrimary = <Result>(lib: LibHeif, context: Pointer, read: (handle: Pointer) => Result): Result =>
  withHandle(lib, (error, into) => lib._heif_context_get_primary_image_handle(error, context, into), read);

function withHandle<Result>(
  lib: LibHeif,
  find: (error: Pointer, into: Pointer) => void,
  read: (handle: Pointer) => Result,
): Result {
  const handle = addressFrom(lib, find);
  try {
    return read(handle);
  } finally {
    lib._heif_image_handle_release(handle);
  }
}

function setLimits(lib: LibHeif, at: Pointer): void {
  putLong(lib, at + limits.pixels, maxCodedPixels);
  putLong(lib, at + limits.tiles, maxTiles);
  putWord(lib, at + limits.items, maxItems);
  putWord(lib, at + limits.profile, maxProfileBytes);
  putLong(lib, at + limits.block, maxBytes);
  putLong(lib, at + limits.total, maxBytes);
}

const headerOf = (lib: LibHeif, handle: Pointer): HeifHeader => ({
  profile: profileOf(lib, handle),
  codes: codesOf(lib, handle),
});

function profileOf(lib: LibHeif, handle: Pointer): Buffer | undefined {
  const bytes = lib._heif_image_handle_get_raw_color_profile_size(handle);
  if (bytes === 0 || bytes > maxProfileBytes) return undefined;
  const into = lib._malloc(bytes);
  try {
    checked(lib, (error) => lib._heif_image_handle_get_raw_color_profile(error, handle, into));
    return Buffer.from(lib.HEAPU8.subarray(into, into + bytes));
  } finally {
    lib._free(into);
  }
}

/** The codes of colours (ITU-T H.273). The library answers with an error where there are none. */
function codesOf(lib: LibHeif, handle: Pointer): ColourCodes | undefined {
  let profile: Pointer;
  try {
    profile = addressFrom(lib, (error, into) => lib._heif_image_handle_get_nclx_color_profile(error, handle, into));
  } catch (error) {
    if (error instanceof HeifError) return undefined;
    throw error;
  }
  const codes = { primaries: wordAt(lib, profile + 4), transfer: wordAt(lib, profile + 8) };
  lib._heif_nclx_color_profile_free(profile);
  return codes;
}
