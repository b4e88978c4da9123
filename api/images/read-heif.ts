/**
 * Reads HEIC, HEIF and AVIF (ISO/IEC 23008-12): what their containers say of the primary picture, and the pixels of HEIC.
 * Runs in the process of images alone. What the file may ask for is bounded by libheif's own limits.
 */

import type { ColourCodes } from './bare-image/coded-profile.ts';
import { maxProfileBytes } from './bare-image/colour-profile.ts';
import { maxImagePixels } from './configure-sharp.ts';
import { addressFrom, checked, type LibHeif, loadLibHeif, type Pointer, putLong, putWord, wordAt } from './libheif.ts';

/** What the container says of its primary picture. */
export interface HeifHeader {
  /** Pixels as a person sees them: turns and mirrors of the container are applied. */
  readonly width: number;
  readonly height: number;
  readonly profile: Buffer | undefined;
  readonly codes: ColourCodes | undefined;
}

/** The primary picture, sRGB or as its header says, three bytes a pixel. */
export interface HeifPicture extends HeifHeader {
  readonly rgb: Buffer;
}

/** Places of `heif_security_limits` in memory, as this version lays them out. */
const limits = { pixels: 8, tiles: 16, items: 28, profile: 32, block: 40, total: 64 } as const;
/** Phones of 48 megapixels make 192 tiles. */
const maxTiles = 1_024;
const maxItems = 1_000;
/** One picture as planes and as pixels, with what the decoder keeps. */
const maxBytes = 640 * 1024 * 1024;

const [rgbColours, interleavedRgb, interleaved] = [1, 10, 10] as const;

/**
 * Reads the header of the primary picture; nothing is decoded.
 * @throws HeifError
 */
export async function readHeifHeader(bytes: Uint8Array): Promise<HeifHeader> {
  const lib = await loadLibHeif();
  return withPrimary(lib, bytes, (handle) => headerOf(lib, handle));
}

/**
 * Decodes the primary picture of a HEIC: of a burst, a live photo or a picture with a depth map the one that viewers show.
 * @returns undefined for a file whose pixels are not all there
 * @throws HeifError
 */
export async function decodeHeic(bytes: Uint8Array): Promise<HeifPicture | undefined> {
  const lib = await loadLibHeif();
  return withPrimary(lib, bytes, (handle) => {
    const image = addressFrom(lib, (error, into) =>
      lib._heif_decode_image(error, handle, into, rgbColours, interleavedRgb, 0),
    );
    try {
      // A tile that could not be decoded is a warning to the library, and a hole to a person.
      if (lib._heif_image_get_decoding_warnings(image, 0, 0, 0) > 0) return undefined;
      const header = headerOf(lib, handle);
      const [width, height] = [
        lib._heif_image_get_width(image, interleaved),
        lib._heif_image_get_height(image, interleaved),
      ];
      return { ...header, width, height, rgb: rowsOf(lib, image, width, height) };
    } finally {
      lib._heif_image_release(image);
    }
  });
}

function withPrimary<Result>(lib: LibHeif, bytes: Uint8Array, read: (handle: Pointer) => Result): Result {
  const context = lib._heif_context_alloc();
  const file = lib._malloc(bytes.length);
  try {
    setLimits(lib, lib._heif_context_get_security_limits(context));
    lib.HEAPU8.set(bytes, file);
    checked(lib, (error) => lib._heif_context_read_from_memory(error, context, file, bytes.length, 0));
    const handle = addressFrom(lib, (error, into) => lib._heif_context_get_primary_image_handle(error, context, into));
    try {
      return read(handle);
    } finally {
      lib._heif_image_handle_release(handle);
    }
  } finally {
    lib._free(file);
    lib._heif_context_free(context);
  }
}

function setLimits(lib: LibHeif, at: Pointer): void {
  putLong(lib, at + limits.pixels, maxImagePixels);
  putLong(lib, at + limits.tiles, maxTiles);
  putWord(lib, at + limits.items, maxItems);
  putWord(lib, at + limits.profile, maxProfileBytes);
  putLong(lib, at + limits.block, maxBytes);
  putLong(lib, at + limits.total, maxBytes);
}

function headerOf(lib: LibHeif, handle: Pointer): HeifHeader {
  return {
    width: lib._heif_image_handle_get_width(handle),
    height: lib._heif_image_handle_get_height(handle),
    profile: profileOf(lib, handle),
    codes: codesOf(lib, handle),
  };
}

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
  } catch {
    return undefined;
  }
  const codes = { primaries: wordAt(lib, profile + 4), transfer: wordAt(lib, profile + 8) };
  lib._heif_nclx_color_profile_free(profile);
  return codes;
}

function rowsOf(lib: LibHeif, image: Pointer, width: number, height: number): Buffer {
  const stride = lib._malloc(4);
  try {
    const plane = lib._heif_image_get_plane_readonly(image, interleaved, stride);
    const step = wordAt(lib, stride);
    const rgb = Buffer.allocUnsafe(width * height * 3);
    for (let row = 0; row < height; row++) {
      const from = plane + row * step;
      rgb.set(lib.HEAPU8.subarray(from, from + width * 3), row * width * 3);
    }
    return rgb;
  } finally {
    lib._free(stride);
  }
}
