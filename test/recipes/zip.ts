/** Archives made by hand, so that they can lie. */
import { crc32, deflateRawSync } from 'node:zlib';

/** A file of an archive. */
export interface ZipEntry {
  readonly name: string;
  readonly text: string | Buffer;
  /** The mode that Unix gave it, with its type. */
  readonly mode?: number;
  /** The size that is claimed; left out, the true one. */
  readonly claimedBytes?: number;
}

const two = (value: number): Buffer => Buffer.from([value & 0xff, value >>> 8]);
const four = (value: number): Buffer => Buffer.concat([two(value & 0xffff), two(value >>> 16)]);

/** Returns the bytes of an archive. */
export function zip(entries: readonly ZipEntry[]): Buffer {
  const [files, directory]: [Buffer[], Buffer[]] = [[], []];
  let offset = 0;
  for (const { name, text, mode = 0o100644, claimedBytes } of entries) {
    const [path, bytes] = [Buffer.from(name), Buffer.from(text)];
    const packed = deflateRawSync(bytes);
    const sizes = [four(crc32(bytes)), four(packed.length), four(claimedBytes ?? bytes.length)];
    const common = [two(20), two(0x800), two(8), two(0), two(0), ...sizes, two(path.length), two(0)];
    const file = Buffer.concat([Buffer.from('PK\x03\x04'), ...common, path, packed]);
    // No comment, the first disk, no attributes of its own kind; the mode stands in the upper half of those outside.
    const about = [two(0), two(0), two(0), two(0), two(mode), four(offset)];
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02'), two(0x314), ...common, ...about, path]));
    files.push(file);
    offset += file.length;
  }
  const listed = Buffer.concat(directory);
  const count = two(entries.length);
  const end = [Buffer.from('PK\x05\x06'), two(0), two(0), count, count, four(listed.length), four(offset), two(0)];
  return Buffer.concat([...files, listed, ...end]);
}
