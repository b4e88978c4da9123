/** EXIF for tests, built tag by tag, and files that hold it. */
import { pngChunk } from '../../api/images/bare-image/bare-png.ts';
import { type HeifItem, heifFile, tile } from '../rendering/heif-files.ts';

/** A value of a directory: a text, a number of four bytes, or a short one. */
type TagValue = string | { readonly long: number } | { readonly short: number };

/** The tags by their numbers. `details` is the directory that the main one points to. */
export interface MadeExif {
  readonly main?: Readonly<Record<number, TagValue>>;
  readonly details?: Readonly<Record<number, TagValue>>;
  readonly order?: 'MM' | 'II';
}

/** Builds the block: the header, the main directory, that of details, and the texts. */
export function madeExif({ main = {}, details, order = 'MM' }: MadeExif): Buffer {
  const tags = Object.entries(main);
  const mainAt = 8;
  const detailsAt = mainAt + 2 + 12 * (tags.length + (details === undefined ? 0 : 1)) + 4;
  const linked: [string, TagValue][] = details === undefined ? tags : [...tags, ['34665', { long: detailsAt }]];
  const inner = Object.entries(details ?? {});
  const texts: Buffer[] = [];
  let textAt = detailsAt + (details === undefined ? 0 : 2 + 12 * inner.length + 4);
  const put = (bytes: number, value: number): Buffer => {
    const made = Buffer.alloc(bytes);
    if (order === 'MM') made.writeUIntBE(value, 0, bytes);
    else made.writeUIntLE(value, 0, bytes);
    return made;
  };
  const entry = ([tag, value]: readonly [string, TagValue]): Buffer => {
    const head = put(2, Number(tag));
    if (typeof value !== 'string') {
      const isLong = 'long' in value;
      const number = isLong ? put(4, value.long) : Buffer.concat([put(2, value.short), Buffer.alloc(2)]);
      return Buffer.concat([head, put(2, isLong ? 4 : 3), put(4, 1), number]);
    }
    const text = Buffer.from(`${value}\0`);
    const short = Buffer.alloc(4);
    text.copy(short);
    const made = Buffer.concat([head, put(2, 2), put(4, text.length), text.length > 4 ? put(4, textAt) : short]);
    if (text.length > 4) {
      texts.push(text);
      textAt += text.length;
    }
    return made;
  };
  const directory = (entries: readonly (readonly [string, TagValue])[]): Buffer =>
    Buffer.concat([put(2, entries.length), ...entries.map(entry), Buffer.alloc(4)]);
  const first = directory(linked);
  const second = details === undefined ? Buffer.alloc(0) : directory(inner);
  return Buffer.concat([Buffer.from(order), put(2, 42), put(4, mainAt), first, second, ...texts]);
}

/** The tags of a photograph: its maker, and when it was taken. */
export const photographTags = {
  main: { 271: 'Apple', 272: 'iPhone 15' },
  details: { 36867: '2024:05:12 14:30:07' },
} as const satisfies MadeExif;

/** A JPEG that ends with the header of its frame. */
export function jpegWith(exif: Buffer, [width, height] = [4032, 3024]): Buffer {
  const data = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), exif]);
  const note = Buffer.concat([Buffer.of(0xff, 0xe1, (data.length + 2) >> 8, (data.length + 2) & 255), data]);
  const frame = Buffer.from('ffc000110800000000030122000211010311010000', 'hex').subarray(0, 19);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return Buffer.concat([Buffer.of(0xff, 0xd8), note, frame]);
}

/** Inserts a chunk of EXIF after the header of a PNG. */
export function pngWith(png: Buffer, exif: Buffer): Buffer {
  return Buffer.concat([png.subarray(0, 33), pngChunk('eXIf', exif), png.subarray(33)]);
}

/** A HEIC with EXIF as its second item, after the four bytes that say where its header begins. */
export function heicWith(exif: Buffer, ...properties: readonly Buffer[]): Buffer {
  const item: HeifItem = { id: 2, type: 'Exif', data: Buffer.concat([Buffer.alloc(4), exif]), properties: [] };
  return heifFile([tile(1, ...properties), item]);
}
