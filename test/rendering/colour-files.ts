/** Files whose colours are said in a certain way: inks as JPEG, and profiles (ICC.1) of a few tags. */
import { deflateSync } from 'node:zlib';
import { pngChunk } from './hostile-images.ts';

/** The segment by which Adobe's programs say that inks are stored as luma, two chromas and black. */
const adobeYcck = Buffer.from('ffee000e41646f626500640000000002', 'hex');

const segment = (marker: number, data: readonly number[]): Buffer =>
  Buffer.from([0xff, marker, 0, data.length + 2, ...data]);

/** Returns the bits of one square of one value: the length of its difference to 128, the difference, and the end. */
function squareBits(value: number): string {
  const difference = value - 128;
  const length = difference === 0 ? 0 : Math.abs(difference).toString(2).length;
  const bits = difference < 0 ? difference + 2 ** length - 1 : difference;
  return `${length.toString(2).padStart(4, '0')}${length === 0 ? '' : bits.toString(2).padStart(length, '0')}0`;
}

/** A JPEG of 8x8 pixels whose four channels have these numbers; with `isYcck`, with Adobe's note. */
export function inkJpeg(numbers: readonly [number, number, number, number], isYcck = false): Buffer {
  const channels = [1, 2, 3, 4];
  const bits = numbers.map(squareBits).join('');
  const scan = (bits.padEnd(Math.ceil(bits.length / 8) * 8, '1').match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2));
  return Buffer.concat([
    Buffer.of(0xff, 0xd8),
    ...(isYcck ? [adobeYcck] : []),
    segment(0xdb, [0, ...Array<number>(64).fill(8)]),
    segment(0xc0, [8, 0, 8, 0, 8, 4, ...channels.flatMap((id) => [id, 0x11, 0])]),
    // Lengths of differences have four bits each; of waves there is only their end, one bit.
    segment(0xc4, [0, 0, 0, 0, 12, ...Array<number>(12).fill(0), ...Array.from({ length: 12 }, (_, at) => at)]),
    segment(0xc4, [0x10, 1, ...Array<number>(15).fill(0), 0]),
    segment(0xda, [4, ...channels.flatMap((id) => [id, 0]), 0, 63, 0]),
    Buffer.from(scan.flatMap((byte) => (byte === 0xff ? [byte, 0] : [byte]))),
    Buffer.of(0xff, 0xd9),
  ]);
}

const endOfHeader = 33;

/** Puts chunks into a PNG, behind its header. */
export const withChunk = (png: Buffer, chunk: Buffer): Buffer =>
  Buffer.concat([png.subarray(0, endOfHeader), chunk, png.subarray(endOfHeader)]);

export const profileChunk = (profile: Buffer): Buffer =>
  pngChunk('iCCP', Buffer.concat([Buffer.from('made\0\0', 'latin1'), deflateSync(profile)]));

/** A chunk by which numbers stand for light by a power, in parts of 100,000. */
export function gammaChunk(value: number): Buffer {
  const data = Buffer.alloc(4);
  data.writeUInt32BE(value);
  return pngChunk('gAMA', data);
}

/** A PNG of 8x8 pixels of 16 bits: gray of one number, or colours of three. */
export function deepPng(...numbers: readonly number[]): Buffer {
  const header = Buffer.from([0, 0, 0, 8, 0, 0, 0, 8, 16, numbers.length === 1 ? 0 : 2, 0, 0, 0]);
  const row = Buffer.from([
    0,
    ...Array.from({ length: 8 }, () => numbers.flatMap((one) => [one >> 8, one & 0xff])).flat(),
  ]);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(Buffer.concat(Array<Buffer>(8).fill(row)))),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

type Tag = readonly [name: string, data: Buffer];

const xyz = (...point: readonly [number, number, number]): Buffer => {
  const data = Buffer.from('XYZ \0\0\0\0'.padEnd(20, '\0'), 'latin1');
  for (const [at, value] of point.entries()) data.writeInt32BE(Math.round(value * 65_536), 8 + at * 4);
  return data;
};

/** A curve by a formula of ICC.1. */
export function formula(kind: number, ...numbers: readonly number[]): Buffer {
  const data = Buffer.alloc(12 + numbers.length * 4);
  data.write('para', 'latin1');
  data.writeUInt16BE(kind, 8);
  for (const [at, value] of numbers.entries()) data.writeInt32BE(Math.round(value * 65_536), 12 + at * 4);
  return data;
}

/** A curve by a table. */
export function table(...entries: readonly number[]): Buffer {
  const data = Buffer.alloc(12 + entries.length * 2);
  data.write('curv', 'latin1');
  data.writeUInt32BE(entries.length, 8);
  for (const [at, value] of entries.entries()) data.writeUInt16BE(value, 12 + at * 2);
  return data;
}

/** A curve of a power; `count` is the number of its entries that it claims. */
export function curve(power: number, count = 1): Buffer {
  const data = Buffer.from('curv'.padEnd(16, '\0'), 'latin1');
  data.writeUInt32BE(count, 8);
  data.writeUInt16BE(Math.round(power * 256), 12);
  return data;
}

function profileOfTags(space: 'RGB ' | 'GRAY', tags: readonly Tag[]): Buffer {
  const head = Buffer.alloc(128 + 4 + tags.length * 12);
  head.writeUInt32BE(0x02400000, 8);
  head.write(`mntr${space}XYZ `, 12, 'latin1');
  head.write('acsp', 36, 'latin1');
  head.set(xyz(0.9642, 1, 0.82491).subarray(8), 68);
  head.writeUInt32BE(tags.length, 128);
  let at = head.length;
  for (const [index, [name, data]] of tags.entries()) {
    head.write(name, 132 + index * 12, 'latin1');
    head.writeUInt32BE(at, 136 + index * 12);
    head.writeUInt32BE(data.length, 140 + index * 12);
    at += data.length;
  }
  head.writeUInt32BE(at, 0);
  return Buffer.concat([head, ...tags.map(([, data]) => data)]);
}

const name: Tag = ['desc', Buffer.from('desc\0\0\0\0\0\0\0\x02a'.padEnd(96, '\0'), 'latin1')];
const white: Tag = ['wtpt', xyz(0.9642, 1, 0.82491)];

/** The profile of Adobe RGB (1998), or one with its primaries and another curve. */
export function adobeRgb(light: Buffer = curve(563 / 256)): Buffer {
  return profileOfTags('RGB ', [
    name,
    white,
    ['rXYZ', xyz(0.60974, 0.31111, 0.01947)],
    ['gXYZ', xyz(0.20528, 0.62567, 0.06087)],
    ['bXYZ', xyz(0.14919, 0.06322, 0.74457)],
    ['rTRC', light],
    ['gTRC', light],
    ['bTRC', light],
  ]);
}

/** A profile of gray. */
export const grayProfile = (light: Buffer): Buffer => profileOfTags('GRAY', [name, white, ['kTRC', light]]);

/** Puts a profile into a JPEG. */
export function withProfile(jpeg: Buffer, profile: Buffer): Buffer {
  const head = Buffer.from('\xff\xe2\0\0ICC_PROFILE\0\x01\x01', 'latin1');
  head.writeUInt16BE(head.length - 2 + profile.length, 2);
  return Buffer.concat([jpeg.subarray(0, 2), head, profile, jpeg.subarray(2)]);
}
