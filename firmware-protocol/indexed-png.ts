/**
 * PNGs with exactly the bit depth and inks of a panel, as palette or as evenly spaced grays: they are written without
 * filters, and read with them.
 */
import { promisify } from 'node:util';
import { crc32, deflate, deflateSync, inflateSync } from 'node:zlib';

/** The parts of such a PNG: indices of inks, or levels of gray. */
export interface IndexedPicture {
  readonly width: number;
  readonly height: number;
  readonly bits: 1 | 2 | 4 | 8;
  /** True for grays without a palette, black first: some frames draw those with a palette inverted. */
  readonly isGray: boolean;
  /** One index a pixel, row by row. */
  readonly indices: Uint8Array;
}

const signature = Buffer.from('89504e470d0a1a0a', 'hex');
const colourTypes = { gray: 0, indexed: 3 } as const;

function colourType(isGray: boolean): number {
  return isGray ? colourTypes.gray : colourTypes.indexed;
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}

const deflateInPool = promisify(deflate);
const compression = { level: 6 } as const;

/** Writes a PNG; `palette` holds red, green and blue of each colour, in the order of the indices, and grays have none. */
export function writePng(picture: IndexedPicture, palette: Uint8Array): Uint8Array {
  return fileOf(picture, palette, deflateSync(rowsOf(picture), compression));
}

/** Writes the same PNG, compressed in another thread. */
export async function writePngInPool(picture: IndexedPicture, palette: Uint8Array): Promise<Uint8Array> {
  return fileOf(picture, palette, await deflateInPool(rowsOf(picture), compression));
}

function fileOf({ width, height, bits, isGray }: IndexedPicture, palette: Uint8Array, data: Uint8Array): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  header.set([bits, colourType(isGray)], 8);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    ...(isGray ? [] : [chunk('PLTE', palette)]),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The rows, each after the number of its filter: 0, for no filter. */
function rowsOf({ width, height, bits, indices }: IndexedPicture): Uint8Array {
  const rowBytes = Math.ceil((width * bits) / 8);
  const rows = new Uint8Array((rowBytes + 1) * height);
  const perByte = 8 / bits;
  for (let y = 0, pixel = 0, at = 0; y < height; y++) {
    at++;
    for (const end = pixel + width; pixel < end; at++) {
      let value = 0;
      for (let place = 1; place <= perByte; place++, pixel++) {
        value = (value << bits) | (pixel < end ? (indices[pixel] as number) : 0);
      }
      rows[at] = value;
    }
    pixel = (y + 1) * width;
  }
  return rows;
}

/** Reads such a PNG of this size, or returns a problem. Never more is unpacked than the size needs. */
export function readPng(
  file: Uint8Array,
  { width, height, bits, isGray }: Omit<IndexedPicture, 'indices'>,
): Uint8Array | { readonly problem: string } {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.length);
  if (!bytes.subarray(0, 8).equals(signature)) return { problem: 'this is not a PNG' };
  const parts: Buffer[] = [];
  for (let at = 8; at + 12 <= bytes.length; ) {
    const [length, type] = [bytes.readUInt32BE(at), bytes.toString('latin1', at + 4, at + 8)];
    const data = bytes.subarray(at + 8, at + 8 + length);
    if (at + 12 + length > bytes.length) return { problem: `the PNG ends within ${type}` };
    if (crc32(bytes.subarray(at + 4, at + 8 + length)) !== bytes.readUInt32BE(at + 8 + length))
      return { problem: `the checksum of ${type} is wrong` };
    if (type === 'IHDR') {
      const header = length === 13 ? [data.readUInt32BE(0), data.readUInt32BE(4), ...data.subarray(8)] : [];
      if (header.join() !== [width, height, bits, colourType(isGray), 0, 0, 0].join())
        return {
          problem: `${isGray ? 'a gray' : 'an indexed'} PNG of ${width}x${height} with ${bits} bits a pixel is needed`,
        };
    }
    if (type === 'IDAT') parts.push(data);
    at += 12 + length;
  }
  const rowBytes = Math.ceil((width * bits) / 8);
  const wanted = (rowBytes + 1) * height;
  try {
    const rows = inflateSync(Buffer.concat(parts), { maxOutputLength: wanted });
    if (rows.length === wanted) return unfilter(rows, { width, height, bits, isGray }, rowBytes);
  } catch {
    // The data is longer than expected, or broken: either way it is not a picture.
  }
  return { problem: 'the pixels of the PNG cannot be unpacked' };
}

function unfilter(
  rows: Buffer,
  { width, height, bits }: Omit<IndexedPicture, 'indices'>,
  rowBytes: number,
): Uint8Array | { readonly problem: string } {
  const indices = new Uint8Array(width * height);
  const perByte = 8 / bits;
  let above = new Uint8Array(rowBytes);
  for (let y = 0, pixel = 0; y < height; y++) {
    const start = y * (rowBytes + 1);
    const filter = rows[start] as number;
    if (filter > 4) return { problem: `row ${y} has filter ${filter}` };
    const row = Uint8Array.from(rows.subarray(start + 1, start + 1 + rowBytes));
    for (let at = 0; at < rowBytes; at++) {
      const left = at === 0 ? 0 : (row[at - 1] as number);
      const corner = at === 0 ? 0 : (above[at - 1] as number);
      row[at] = (row[at] as number) + predict(filter, left, above[at] as number, corner);
    }
    for (let x = 0; x < width; x++, pixel++) {
      const byte = row[Math.floor(x / perByte)] as number;
      indices[pixel] = (byte >> (8 - bits * ((x % perByte) + 1))) & ((1 << bits) - 1);
    }
    above = row;
  }
  return indices;
}

/** The prediction of a PNG filter for a byte, from those to its left, above, and above to the left. */
function predict(filter: number, left: number, above: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return above;
  if (filter === 3) return (left + above) >> 1;
  if (filter === 0) return 0;
  const [toLeft, toAbove, toCorner] = [left, above, corner].map((byte) => Math.abs(left + above - corner - byte)) as [
    number,
    number,
    number,
  ];
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}
