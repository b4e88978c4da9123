/**
 * Decodes a picture of libheif tile by tile, so that only one tile at a time is held besides the pixels that are kept.
 */
import { maxWholePixels } from './configure-sharp.ts';
import { halfRows } from './half-rows.ts';
import { addressFrom, checked, type LibHeif, type Pointer, wordAt } from './libheif.ts';
import type { RgbPixels } from './seen-pixels.ts';

/** RgbPixels as they are coded: neither turned nor cropped. `scale` is 1/2 where they were halved. */
export interface CodedPixels extends RgbPixels {
  readonly scale: number;
}

/** The tiles of a picture as libheif reports them; a picture without tiles is one tile. */
interface Tiling {
  readonly columns: number;
  readonly rows: number;
  readonly tileWidth: number;
  readonly tileHeight: number;
  readonly width: number;
  readonly height: number;
}

/** The size of `heif_image_tiling` in bytes, with room for its later versions. */
const tilingBytes = 128;
const [rgbColours, interleavedRgb, interleaved] = [1, 10, 10] as const;

/**
 * Decodes a picture to sRGB, or to the colours that its header declares.
 * @returns undefined when a part of it could not be decoded: a hole to a person
 * @throws HeifError
 */
export function decodeTiles(lib: LibHeif, handle: Pointer): CodedPixels | undefined {
  const tiling = tilingOf(lib, handle);
  const scale = tiling.width * tiling.height > maxWholePixels ? 0.5 : 1;
  const [width, height] = [tiling.width, tiling.height].map((side) => Math.max(1, Math.floor(side * scale))) as [
    number,
    number,
  ];
  const kept = { rgb: Buffer.alloc(width * height * 3), width, height, scale };
  for (let row = 0; row < tiling.rows; row++) {
    for (let column = 0; column < tiling.columns; column++) {
      const at = { left: column * tiling.tileWidth, top: row * tiling.tileHeight };
      const isWhole = withTile(lib, handle, [column, row], (tile) => keepTile(kept, tile, at));
      if (!isWhole) return undefined;
    }
  }
  return kept;
}

function tilingOf(lib: LibHeif, handle: Pointer): Tiling {
  const at = lib._malloc(tilingBytes);
  try {
    lib.HEAPU8.fill(0, at, at + tilingBytes);
    checked(lib, (error) => lib._heif_image_handle_get_image_tiling(error, handle, 0, at));
    const word = (place: number): number => wordAt(lib, at + 4 * place);
    return {
      columns: word(1),
      rows: word(2),
      tileWidth: word(3),
      tileHeight: word(4),
      width: word(5),
      height: word(6),
    };
  } finally {
    lib._free(at);
  }
}

/** The pixels of a tile in the memory of the library. */
interface Tile {
  readonly bytes: Uint8Array;
  /** The bytes from one row to the next. */
  readonly step: number;
  readonly width: number;
  readonly height: number;
}

function withTile(
  lib: LibHeif,
  handle: Pointer,
  [column, row]: readonly [number, number],
  keep: (tile: Tile) => void,
): boolean {
  const image = addressFrom(lib, (error, into) =>
    lib._heif_image_handle_decode_image_tile(error, handle, into, rgbColours, interleavedRgb, 0, column, row),
  );
  const stride = lib._malloc(4);
  try {
    // The library reports undecodable parts only as warnings.
    if (lib._heif_image_get_decoding_warnings(image, 0, 0, 0) > 0) return false;
    const plane = lib._heif_image_get_plane_readonly(image, interleaved, stride);
    keep({
      bytes: lib.HEAPU8.subarray(plane),
      step: wordAt(lib, stride),
      width: lib._heif_image_get_width(image, interleaved),
      height: lib._heif_image_get_height(image, interleaved),
    });
    return true;
  } finally {
    lib._free(stride);
    lib._heif_image_release(image);
  }
}

/** Copies a tile to its place. Its pixels beyond the edge of the picture are left out. */
function keepTile(kept: CodedPixels, tile: Tile, at: { readonly left: number; readonly top: number }): void {
  const { rgb, width, height, scale } = kept;
  const [left, top] = [Math.ceil(at.left * scale), Math.ceil(at.top * scale)];
  const columns = Math.min(Math.floor(tile.width * scale), width - left);
  const rows = Math.min(Math.floor(tile.height * scale), height - top);
  for (let row = 0; row < rows; row++) {
    const to = ((top + row) * width + left) * 3;
    const from = tile.bytes.subarray((row / scale) * tile.step);
    if (scale === 1) rgb.set(from.subarray(0, columns * 3), to);
    else halfRows(from, from.subarray(tile.step), rgb.subarray(to, to + columns * 3));
  }
}
