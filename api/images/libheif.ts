/**
 * The part of libheif's C interface that is used here (libheif/heif.h, version 1.23), compiled to WebAssembly. Pointers are
 * numbers; a function that returns a `heif_error` takes the address where it is written as its first argument.
 */

/** An address in the module's memory. */
export type Pointer = number;

/** The module. Its memory grows with the pictures that it decodes, and is released only when the process ends. */
export interface LibHeif {
  readonly HEAPU8: Uint8Array;
  _malloc(bytes: number): Pointer;
  _free(pointer: Pointer): void;
  _heif_context_alloc(): Pointer;
  _heif_context_free(context: Pointer): void;
  _heif_context_get_security_limits(context: Pointer): Pointer;
  _heif_context_read_from_memory_without_copy(
    error: Pointer,
    context: Pointer,
    at: Pointer,
    bytes: number,
    options: Pointer,
  ): void;
  _heif_context_get_primary_image_handle(error: Pointer, context: Pointer, handle: Pointer): void;
  _heif_context_get_image_handle(error: Pointer, context: Pointer, item: number, handle: Pointer): void;
  _heif_image_handle_release(handle: Pointer): void;
  _heif_image_handle_get_width(handle: Pointer): number;
  _heif_image_handle_get_height(handle: Pointer): number;
  _heif_image_handle_is_premultiplied_alpha(handle: Pointer): number;
  _heif_image_handle_get_image_tiling(error: Pointer, handle: Pointer, transformed: 0 | 1, tiling: Pointer): void;
  _heif_image_handle_get_raw_color_profile_size(handle: Pointer): number;
  _heif_image_handle_get_raw_color_profile(error: Pointer, handle: Pointer, into: Pointer): void;
  _heif_image_handle_get_nclx_color_profile(error: Pointer, handle: Pointer, profile: Pointer): void;
  _heif_nclx_color_profile_free(profile: Pointer): void;
  _heif_image_handle_decode_image_tile(
    error: Pointer,
    handle: Pointer,
    image: Pointer,
    colourSpace: number,
    chroma: number,
    options: Pointer,
    column: number,
    row: number,
  ): void;
  _heif_image_get_plane_readonly(image: Pointer, channel: number, stride: Pointer): Pointer;
  _heif_image_get_width(image: Pointer, channel: number): number;
  _heif_image_get_height(image: Pointer, channel: number): number;
  _heif_image_get_decoding_warnings(image: Pointer, first: number, into: Pointer, most: number): number;
  _heif_image_release(image: Pointer): void;
}

/** An error of libheif: its numbers are those of `heif_error_code` and `heif_suberror_code`. */
export class HeifError extends Error {
  readonly subcode: number;

  constructor(code: number, subcode: number) {
    super(`libheif refuses the file: ${code}, ${subcode}`);
    this.subcode = subcode;
  }
}

/** The file is beyond a limit of size or number: `heif_suberror_Security_limit_exceeded`. */
export const limitExceeded = 1000;

/**
 * Makes the module for one picture, with memory of its own: it never releases memory, and after an internal failure it
 * may be in any state. It takes a tenth of a second.
 */
export async function openLibHeif(): Promise<LibHeif> {
  // The package has types for its other entries, but not for this one.
  const name: string = 'libheif-js/libheif-wasm/libheif-bundle.js';
  const { default: make } = (await import(name)) as { readonly default: () => LibHeif };
  return make();
}

/** Calls a function that writes an error, and throws it. */
export function checked(lib: LibHeif, call: (error: Pointer) => void): void {
  const error = lib._malloc(12);
  try {
    call(error);
    const code = wordAt(lib, error);
    if (code !== 0) throw new HeifError(code, wordAt(lib, error + 4));
  } finally {
    lib._free(error);
  }
}

/** Calls a function that writes an address, and returns the address. */
export function addressFrom(lib: LibHeif, call: (error: Pointer, into: Pointer) => void): Pointer {
  const into = lib._malloc(4);
  try {
    checked(lib, (error) => call(error, into));
    return wordAt(lib, into);
  } finally {
    lib._free(into);
  }
}

const view = (lib: LibHeif): DataView => new DataView(lib.HEAPU8.buffer);

/** Reads a number of 32 bits. */
export const wordAt = (lib: LibHeif, at: Pointer): number => view(lib).getUint32(at, true);

/** Writes a number of 32 bits. */
export const putWord = (lib: LibHeif, at: Pointer, value: number): void => view(lib).setUint32(at, value, true);

/** Writes a number of 64 bits. */
export const putLong = (lib: LibHeif, at: Pointer, value: number): void =>
  view(lib).setBigUint64(at, BigInt(value), true);
