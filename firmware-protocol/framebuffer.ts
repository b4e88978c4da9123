/**
 * Picture bytes: turns palette indices into the file that a frame takes, and back. The file has width and height as
 * uint16 little-endian, then the pixels in the panel's packing, rows top down; or it is a PNG. Frames in the field
 * also take files that begin with `BM`; those are read here, and written for the vendor's offline firmware alone.
 */
import { bitmapStart, packBitmap, problemOfBitmap } from './offline/bitmap.ts';
import { packPng, pngForm, type UnreadablePng, unpackPng } from './panel-png.ts';
import { type Orientation, type Panel, type Rotation, viewSize } from './panels.ts';

const headerBytes = 4;

/** The bytes before the pixels. */
function startOf({ packing }: Panel): number {
  if (packing === 'bitmap') return bitmapStart;
  return packing === 'halves' ? 0 : headerBytes;
}

/** The bits of a pixel in one plane. */
function bitsOf(panel: Panel): 1 | 2 | 4 | 8 {
  const { packing } = panel;
  if (packing === 'png') return pngForm(panel).bits;
  if (packing === 'nibble' || packing === 'halves' || packing === 'bitmap') return 4;
  return packing === 'pairs' ? 2 : 1;
}

/** The bytes of a row of one plane. */
export function rowBytes(panel: Panel): number {
  return Math.ceil((panel.width * bitsOf(panel)) / 8);
}

/** The bytes of the pixels without the header; for a PNG, before compression. */
function pixelBytes(panel: Panel): number {
  return rowBytes(panel) * panel.height * (panel.packing === 'planes' ? 2 : 1);
}

/** The bytes of a packed picture file for this panel; a PNG has no more than this. */
export function fileBytes(panel: Panel): number {
  if (panel.packing !== 'png') return startOf(panel) + pixelBytes(panel);
  return panel.maxFileBytes ?? pixelBytes(panel) + panel.height + 1024;
}

/**
 * Rotates a raster of palette indices clockwise.
 * @param indices one palette index a pixel, row by row, `width` x `height`
 * @returns the same array when there is nothing to rotate
 */
export function rotateRaster(indices: Uint8Array, width: number, height: number, rotation: Rotation): Uint8Array {
  if (indices.length !== width * height) throw new Error(`raster has ${indices.length} pixels, not ${width}x${height}`);
  if (rotation === 0) return indices;
  if (rotation === 180) return indices.slice().reverse();
  const out = new Uint8Array(indices.length);
  const [first, step] = rotation === 90 ? [height - 1, height] : [(width - 1) * height, -height];
  for (let y = 0, at = 0; y < height; y++) {
    let to = rotation === 90 ? first - y : first + y;
    for (let x = 0; x < width; x++, at++, to += step) out[to] = indices[at] as number;
  }
  return out;
}

/**
 * Packs a picture as a person sees it into the panel's file.
 * @param indices palette indices (positions in `panel.colours`), row by row, of the size `viewSize` gives
 */
export function packPicture(panel: Panel, orientation: Orientation, indices: Uint8Array): Uint8Array {
  if (panel.packing === 'halves' || panel.packing === 'bitmap') {
    const rows = packPicture({ ...panel, packing: 'nibble' }, orientation, indices).subarray(headerBytes);
    return panel.packing === 'bitmap' ? packBitmap(panel, rows) : moveHalves(panel, rows, 'apart');
  }
  const { width, height } = viewSize(panel, orientation);
  const stored = rotateRaster(indices, width, height, panel.rotation[orientation]);
  const inNibbles = panel.packing === 'nibble' && panel.width % 2 === 0;
  if (!inNibbles) checkColours(panel, stored);
  if (panel.packing === 'png') return packPng(panel, stored);
  const file = new Uint8Array(fileBytes(panel));
  file[0] = panel.width & 0xff;
  file[1] = panel.width >> 8;
  file[2] = panel.height & 0xff;
  file[3] = panel.height >> 8;
  const codes = new Uint8Array(256).fill(noCode);
  panel.colours.forEach(({ code }, index) => {
    codes[index] = code;
  });
  if (inNibbles) packNibbles(panel, stored, codes, file);
  else packPlanes(panel, stored, codes, file);
  return file;
}

/** Moves the halves of all rows apart, the left ones first, or together again; a row has a whole number of bytes in each. */
function moveHalves(panel: Panel, pixels: Uint8Array, how: 'apart' | 'together'): Uint8Array {
  const half = rowBytes(panel) / 2;
  const moved = new Uint8Array(pixels.length);
  for (let y = 0; y < panel.height; y++) {
    for (const side of [0, 1]) {
      const [inRow, inHalf] = [(2 * y + side) * half, (side * panel.height + y) * half];
      const [from, to] = how === 'apart' ? [inRow, inHalf] : [inHalf, inRow];
      moved.set(pixels.subarray(from, from + half), to);
    }
  }
  return moved;
}

/** A value that marks colours without a code. */
const noCode = 0x80;

function checkColours(panel: Panel, stored: Uint8Array): void {
  const at = stored.findIndex((index) => index >= panel.colours.length);
  if (at >= 0) throw new Error(`pixel ${at}: no such colour on ${panel.name}`);
}

/**
 * Packs nibbles, the packing of frames in the field and of every large picture: the indices are read once, and checked
 * on the way.
 */
function packNibbles(panel: Panel, stored: Uint8Array, codes: Uint8Array, file: Uint8Array): void {
  let seen = 0;
  for (let at = 0, to = headerBytes; at < stored.length; at += 2, to++) {
    const left = codes[stored[at] as number] as number;
    const right = codes[stored[at + 1] as number] as number;
    seen |= left | right;
    file[to] = (left << 4) | right;
  }
  if (seen >= noCode) checkColours(panel, stored);
}

/** Packs pixels in any packing; the rest of a row's last byte is white (PANEL-04). */
function packPlanes(panel: Panel, stored: Uint8Array, codes: Uint8Array, file: Uint8Array): void {
  const bits = bitsOf(panel);
  const mask = (1 << bits) - 1;
  const perByte = 8 / bits;
  const bytes = rowBytes(panel);
  const white = codes[panel.colours.findIndex(({ name }) => name === 'white')] ?? 0;
  let to = headerBytes;
  for (let plane = 0; plane < (panel.packing === 'planes' ? 2 : 1); plane++) {
    for (let y = 0; y < panel.height; y++) {
      for (let byte = 0; byte < bytes; byte++, to++) {
        let value = 0;
        for (let x = byte * perByte; x < (byte + 1) * perByte; x++) {
          const code = x < panel.width ? (codes[stored[y * panel.width + x] as number] as number) : white;
          value = (value << bits) | ((code >> plane) & mask);
        }
        file[to] = value;
      }
    }
  }
}

/**
 * Reads a picture file the way the fielded firmware does: BMP's pixel offset is obeyed, every other header byte is
 * ignored, foreign codes are drawn in the panel's substitute colour. Unlike the firmware, a file of the wrong length is
 * refused: drawing what the flash happens to hold is never wanted here.
 * @returns palette indices of the raster as stored, or what is wrong
 */
export function unpackPicture(panel: Panel, file: Uint8Array): Uint8Array | UnreadablePng {
  if (panel.packing === 'png') return unpackPng(panel, file);
  const { width, height, colours } = panel;
  const indexOfCode = new Uint8Array(16).fill(panel.foreignCodeDrawnAs);
  colours.forEach((colour, index) => {
    indexOfCode[colour.code] = index;
  });
  if (panel.packing === 'bitmap') {
    const problem = problemOfBitmap(panel, file);
    return problem === undefined ? unpackPicture({ ...panel, packing: 'nibble' }, file) : { problem };
  }
  if (panel.packing === 'halves') {
    const wanted = fileBytes(panel);
    if (file.length !== wanted) {
      return { problem: `${panel.name} takes ${wanted} bytes, this file has ${file.length}` };
    }
    const rows = new Uint8Array(headerBytes + wanted);
    rows.set(moveHalves(panel, file, 'together'), headerBytes);
    return unpackPicture({ ...panel, packing: 'nibble' }, rows);
  }
  const isBitmap = panel.packing === 'nibble' && file[0] === 0x42 && file[1] === 0x4d;
  const start =
    isBitmap && file.length >= 14 ? new DataView(file.buffer, file.byteOffset).getUint32(0x0a, true) : headerBytes;
  const wanted = pixelBytes(panel);
  if (file.length !== start + wanted) {
    return { problem: `${panel.name} takes ${start + wanted} bytes, this file has ${file.length}` };
  }
  const bits = bitsOf(panel);
  const perByte = 8 / bits;
  const mask = (1 << bits) - 1;
  const bytes = rowBytes(panel);
  const indices = new Uint8Array(width * height);
  for (let y = 0, pixel = 0; y < height; y++) {
    for (let x = 0; x < width; x++, pixel++) {
      const at = start + y * bytes + Math.floor(x / perByte);
      const shift = 8 - bits * ((x % perByte) + 1);
      let code = ((file[at] as number) >> shift) & mask;
      if (panel.packing === 'planes') code |= (((file[at + bytes * height] as number) >> shift) & 1) << 1;
      indices[pixel] = indexOfCode[code] as number;
    }
  }
  return indices;
}

/** Rotates a stored raster back to the person's view. */
export function rotateToView(panel: Panel, orientation: Orientation, stored: Uint8Array): Uint8Array {
  return rotateRaster(stored, panel.width, panel.height, ((360 - panel.rotation[orientation]) % 360) as Rotation);
}
