/**
 * Picture bytes: palette indices to the file a frame takes, and back (PN-03, PN-04).
 * File: width and height as uint16 little-endian, then two pixels a byte, left pixel in the high nibble, rows top down,
 * no padding. Frames also take files that begin with `BM`; those are read here and never written.
 */
import { type Orientation, type Panel, type Turn, viewSize } from './panels.ts';

const headerBytes = 4;

/** Bytes of a packed picture file for this panel. */
export function fileBytes(panel: Panel): number {
  return headerBytes + (panel.width * panel.height) / 2;
}

/**
 * Turns a raster of palette indices clockwise.
 * @param indices one palette index a pixel, row by row, `width` x `height`
 */
export function turnRaster(indices: Uint8Array, width: number, height: number, turn: Turn): Uint8Array {
  if (indices.length !== width * height) throw new Error(`raster has ${indices.length} pixels, not ${width}x${height}`);
  const out = new Uint8Array(indices.length);
  let at = 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const to =
        turn === 0
          ? at
          : turn === 90
            ? x * height + (height - 1 - y)
            : turn === 180
              ? indices.length - 1 - at
              : (width - 1 - x) * height + y;
      out[to] = indices[at] as number;
      at++;
    }
  }
  return out;
}

/**
 * Packs a picture as a person sees it into the panel's file.
 * @param indices palette indices (positions in `panel.colours`), row by row, of the size `viewSize` gives
 */
export function packPicture(panel: Panel, orientation: Orientation, indices: Uint8Array): Uint8Array {
  const { width, height } = viewSize(panel, orientation);
  const stored = turnRaster(indices, width, height, panel.turn[orientation]);
  const codes = Uint8Array.from(panel.colours, (colour) => colour.code);
  const file = new Uint8Array(fileBytes(panel));
  file[0] = panel.width & 0xff;
  file[1] = panel.width >> 8;
  file[2] = panel.height & 0xff;
  file[3] = panel.height >> 8;
  for (let at = 0, to = headerBytes; at < stored.length; at += 2, to++) {
    const left = codes[stored[at] as number];
    const right = codes[stored[at + 1] as number];
    if (left === undefined || right === undefined) throw new Error(`pixel ${at}: no such colour on ${panel.name}`);
    file[to] = (left << 4) | right;
  }
  return file;
}

/** What `unpackPicture` found wrong with a file. */
export interface UnreadablePicture {
  readonly problem: string;
}

/**
 * Reads a picture file the way the fielded firmware does: BMP's pixel offset is obeyed, every other header byte is
 * ignored, foreign codes are drawn in the panel's substitute colour. Unlike the firmware, a file of the wrong length is
 * refused: drawing what the flash happens to hold is never wanted here.
 * @returns palette indices of the raster as stored, or what is wrong
 */
export function unpackPicture(panel: Panel, file: Uint8Array): Uint8Array | UnreadablePicture {
  const isBitmap = file[0] === 0x42 && file[1] === 0x4d;
  const start =
    isBitmap && file.length >= 14 ? new DataView(file.buffer, file.byteOffset).getUint32(0x0a, true) : headerBytes;
  const wanted = (panel.width * panel.height) / 2;
  if (file.length !== start + wanted) {
    return { problem: `${panel.name} takes ${start + wanted} bytes, this file has ${file.length}` };
  }
  const indexOfCode = new Uint8Array(16).fill(panel.foreignCodeDrawnAs);
  panel.colours.forEach((colour, index) => {
    indexOfCode[colour.code] = index;
  });
  const indices = new Uint8Array(wanted * 2);
  for (let at = 0; at < wanted; at++) {
    const byte = file[start + at] as number;
    indices[at * 2] = indexOfCode[byte >> 4] as number;
    indices[at * 2 + 1] = indexOfCode[byte & 0x0f] as number;
  }
  return indices;
}

/** Turns a stored raster back to what a person sees. */
export function turnToView(panel: Panel, orientation: Orientation, stored: Uint8Array): Uint8Array {
  return turnRaster(stored, panel.width, panel.height, ((360 - panel.turn[orientation]) % 360) as Turn);
}
