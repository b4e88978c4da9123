/** Reads pictures that are made of inks: nothing is dithered there. */
import { inkNamed, type PaletteTables } from './palette.ts';

/**
 * Takes a picture that consists of panel colours alone (a preview sent back, a page drawn for the panel) as it is.
 * @returns its indices, or undefined at the first other pixel
 */
export function readPanelColours(rgb: Uint8Array, { measured, nominal }: PaletteTables): Uint8Array | undefined {
  return readInks(rgb, (colour) => {
    const ink = measured.indexOf(colour);
    return ink < 0 ? nominal.indexOf(colour) : ink;
  });
}

/**
 * Reads a page of our own, which is made of the inks' nominal colours: a pixel between two of them, at the edge of a
 * letter, is the nearer one by its bytes. Colours at the corners of the cube have no third one nearer to their
 * mixtures; an ink inside of it, such as orange, is therefore taken only where it is named.
 */
export function readNames(rgb: Uint8Array, tables: PaletteTables): Uint8Array {
  const inks = readInks(rgb, (colour) => {
    const named = inkNamed(tables, colour);
    return named >= 0 ? named : nearestName(tables.nominal, colour);
  });
  if (inks === undefined) throw new Error('a palette has no colour that is nearest');
  return inks;
}

/** The colours whose inks are remembered, as bits: an edge has some dozens. */
const knownBits = 10;

/**
 * Reads the ink of every pixel. Pages are mostly runs of one colour: as long as it lasts, four pixels are read at once,
 * which are three words of the bytes' memory.
 * @param inkOf the ink of a colour 0xrrggbb, asked where the colour is a new one; -1 ends the reading
 */
function readInks(rgb: Uint8Array, inkOf: (colour: number) => number): Uint8Array | undefined {
  const pixels = rgb.length / 3;
  // Every pixel is written: memory that is not cleared first takes no time.
  const indices = new Uint8Array(Buffer.allocUnsafeSlow(pixels).buffer);
  const { buffer, byteOffset } = rgb.byteOffset % 4 === 0 ? rgb : new Uint8Array(rgb);
  const words = new Uint32Array(buffer, byteOffset, rgb.length >> 2);
  const fours = new Uint32Array(indices.buffer, 0, pixels >> 2);
  const known = new Int32Array(1 << knownBits).fill(-1);
  const inks = new Uint8Array(known.length);
  let [last, ink] = [-1, -1];
  let [first, second, third] = [0, 0, 0];
  for (let pixel = 0; pixel < pixels; ) {
    const four = pixel >> 2;
    const word = four * 3;
    const isWhole = (pixel & 3) === 0 && ink >= 0 && four < fours.length;
    if (isWhole && words[word] === first && words[word + 1] === second && words[word + 2] === third) {
      fours[four] = ink * 0x01010101;
      pixel += 4;
      continue;
    }
    const [red, green, blue] = [rgb[pixel * 3] as number, rgb[pixel * 3 + 1] as number, rgb[pixel * 3 + 2] as number];
    const colour = (red << 16) | (green << 8) | blue;
    if (colour !== last) {
      const place = Math.imul(colour, 0x9e3779b1) >>> (32 - knownBits);
      if (known[place] !== colour) {
        const asked = inkOf(colour);
        if (asked < 0) return undefined;
        known[place] = colour;
        inks[place] = asked;
      }
      ink = inks[place] as number;
      last = colour;
      first = (red | (green << 8) | (blue << 16) | (red << 24)) >>> 0;
      second = (green | (blue << 8) | (red << 16) | (green << 24)) >>> 0;
      third = (blue | (red << 8) | (green << 16) | (blue << 24)) >>> 0;
    }
    indices[pixel++] = ink;
  }
  return indices;
}

const channels = (colour: number): readonly number[] => [16, 8, 0].map((shift) => (colour >> shift) & 0xff);

function nearestName(nominal: Int32Array, colour: number): number {
  const wished = channels(colour);
  const distances = Array.from(nominal, (ink) => {
    const parts = channels(ink);
    const isCorner = parts.every((part) => part === 0 || part === 255);
    if (!isCorner && new Set(parts).size > 1) return Number.POSITIVE_INFINITY;
    return parts.reduce((sum, part, at) => sum + (part - (wished[at] as number)) ** 2, 0);
  });
  return distances.indexOf(Math.min(...distances));
}
