/** Finds EXIF in HEIC, HEIF and AVIF (ISO/IEC 23008-12, annex A): an item of its own, whose place the file states. */
import { BrokenBoxes, boxesIn, type HeifBox } from './heif-items.ts';

/** A photograph has some dozens, tiles among them. */
const maxItems = 4_096;
const exifType = 'Exif';

/**
 * Returns the EXIF of a file: `none` where it has none, undefined where it lies beyond the bytes.
 * @throws BrokenBoxes
 */
export function heifExif(bytes: Buffer): Buffer | 'none' | undefined {
  try {
    const meta = boxesIn(bytes, 0, bytes.length).find(({ name }) => name === 'meta');
    if (meta === undefined) return undefined;
    const boxes = boxesIn(bytes, meta.start + 4, meta.end);
    const [iinf, iloc, idat] = ['iinf', 'iloc', 'idat'].map((name) => boxes.find((box) => box.name === name));
    if (iinf === undefined || iloc === undefined) return undefined;
    const item = exifItem(bytes, iinf);
    if (item === undefined) return 'none';
    const place = placeOf(bytes, iloc, item);
    if (place === undefined) return undefined;
    const start = place.isInside ? (idat?.start ?? bytes.length) + place.start : place.start;
    if (start + 4 > bytes.length || start + place.length > bytes.length) return undefined;
    // The item begins with the number of bytes before the header of EXIF.
    return bytes.subarray(start + 4 + bytes.readUInt32BE(start), start + place.length);
  } catch (error) {
    if (error instanceof RangeError) throw new BrokenBoxes(error.message);
    throw error;
  }
}

function exifItem(bytes: Buffer, iinf: HeifBox): number | undefined {
  const entries = boxesIn(bytes, iinf.start + (bytes[iinf.start] === 0 ? 6 : 8), iinf.end);
  for (const { name, start } of entries) {
    const version = bytes[start] ?? 0;
    if (name !== 'infe' || version < 2) continue;
    const idBytes = version === 2 ? 2 : 4;
    const type = start + 4 + idBytes + 2;
    if (bytes.toString('latin1', type, type + 4) === exifType) return bytes.readUIntBE(start + 4, idBytes);
  }
  return undefined;
}

interface ItemPlace {
  /** Whether it counts from the box of data within `meta`, and not from the beginning of the file. */
  readonly isInside: boolean;
  readonly start: number;
  readonly length: number;
}

/** Finds the place of an item in one piece; one in several pieces is not looked for. */
function placeOf(bytes: Buffer, iloc: HeifBox, wanted: number): ItemPlace | undefined {
  const version = bytes[iloc.start] ?? 0;
  const sizes = bytes.readUInt16BE(iloc.start + 4);
  const [offsetBytes, lengthBytes, baseBytes] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15] as const;
  const indexBytes = version === 0 ? 0 : sizes & 15;
  const idBytes = version < 2 ? 2 : 4;
  let at = iloc.start + 6;
  const read = (count: number): number => {
    if (count > 8 || at + count > iloc.end) throw new BrokenBoxes('a place ends too late');
    // Of eight bytes the upper two are zero in every file that fits into memory.
    const value = count === 0 ? 0 : count <= 6 ? bytes.readUIntBE(at, count) : Number(bytes.readBigUInt64BE(at));
    at += count;
    return value;
  };
  const count = read(idBytes);
  if (count > maxItems) throw new BrokenBoxes('too many places');
  for (let item = 0; item < count; item++) {
    const id = read(idBytes);
    const method = version === 0 ? 0 : read(2) & 15;
    read(2);
    const base = read(baseBytes);
    const pieces = read(2);
    if (pieces > maxItems) throw new BrokenBoxes('too many pieces');
    let place: ItemPlace | undefined;
    for (let piece = 0; piece < pieces; piece++) {
      read(indexBytes);
      const start = base + read(offsetBytes);
      const length = read(lengthBytes);
      place ??= { isInside: method === 1, start, length };
    }
    if (id === wanted) return pieces === 1 && method <= 1 ? place : undefined;
  }
  return undefined;
}
