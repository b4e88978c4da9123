/**
 * The pictures of the vendor's offline firmware: BMPs of 4 bits a pixel. The firmware takes them only with their rows from
 * top to bottom, which the negative height says, and ignores the palette (BM-1).
 */

/** Its six colours by their codes, as `#rrggbb`; code 4 is not used (BM-4). */
const coloursByCode = ['#000000', '#0000ff', '#00ff00', '#ff0000', '#ffffff', '#ffff00', '#ffffff'];

const [fileHead, infoHead, paletteEntries] = [14, 40, 16];
/** The pixels of a meter in print, as the header wants some: 4,883 are 124 an inch. */
const pixelsPerMeter = 0x0b13;

/** The bytes before the pixels: both heads and a palette of 16 colours. */
export const bitmapStart = fileHead + infoHead + 4 * paletteEntries;

/** The size of a picture in pixels. */
interface BitmapSize {
  readonly width: number;
  readonly height: number;
}

/**
 * Puts the head before the pixels.
 * @param rows two pixels a byte, the left one in the high bits, from top to bottom without padding (BM-3)
 */
export function packBitmap({ width, height }: BitmapSize, rows: Uint8Array): Uint8Array {
  const file = new Uint8Array(bitmapStart + rows.length);
  const view = new DataView(file.buffer);
  file.set([0x42, 0x4d]);
  view.setUint32(2, file.length, true);
  view.setUint32(10, bitmapStart, true);
  view.setUint32(14, infoHead, true);
  view.setInt32(18, width, true);
  view.setInt32(22, -height, true);
  view.setUint16(26, 1, true);
  view.setUint16(28, 4, true);
  view.setUint32(34, rows.length, true);
  view.setInt32(38, pixelsPerMeter, true);
  view.setInt32(42, pixelsPerMeter, true);
  view.setUint32(46, paletteEntries, true);
  view.setUint32(50, paletteEntries, true);
  coloursByCode.forEach((colour, code) => {
    view.setUint32(fileHead + infoHead + 4 * code, Number.parseInt(colour.slice(1), 16), true);
  });
  file.set(rows, bitmapStart);
  return file;
}

/** Returns what the firmware would refuse of a file for a panel, as a sentence (BM-1); undefined when it takes it. */
export function problemOfBitmap({ width, height }: BitmapSize, file: Uint8Array): string | undefined {
  if (file.length < fileHead + infoHead || file[0] !== 0x42 || file[1] !== 0x4d) return 'the file is not a BMP';
  const view = new DataView(file.buffer, file.byteOffset, file.length);
  const start = view.getUint32(10, true);
  const wanted: readonly (readonly [what: string, said: number, right: number])[] = [
    ['length', view.getUint32(2, true), file.length],
    ['size of its head', view.getUint32(14, true), infoHead],
    ['width', view.getInt32(18, true), width],
    ['height, negative for rows from top to bottom,', view.getInt32(22, true), -height],
    ['number of planes', view.getUint16(26, true), 1],
    ['number of bits', view.getUint16(28, true), 4],
    ['compression', view.getUint32(30, true), 0],
    ['number of bytes of pixels', file.length - start, (width * height) / 2],
  ];
  if (start < fileHead + infoHead || start > file.length)
    return `its pixels begin at ${start}, which is not in the file`;
  const wrong = wanted.find(([, said, right]) => said !== right);
  return wrong && `its ${wrong[0]} is ${wrong[1]}, not ${wrong[2]}`;
}
