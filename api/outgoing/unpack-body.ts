/**
 * Unpacks what a server compressed, whether or not it was asked to: by the header, and by the bytes where the header
 * says nothing. Both lie at times (T-90).
 */
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import { errorCode } from '../../runtime/error-code.ts';

/** The most layers of compression; honest answers have one, and two where a proxy packed a packed file. */
const maxLayers = 4;
/**
 * The first bytes by which text is told from packed bytes, which hardly ever begin with so many of ASCII, or hold so
 * many without a control character.
 */
const lookedAt = { first: 16, all: 512 } as const;

type Coding = 'gzip' | 'deflate' | 'br' | 'zstd';
type Unpack = (packed: Buffer, maxBytes: number) => Promise<Buffer>;

/** An end that is missing is left to the reader of the text, which has an end of its own. */
const lenient = { finishFlush: zlib.constants.Z_SYNC_FLUSH } as const;
const [gunzip, inflate, inflateRaw] = [promisify(zlib.gunzip), promisify(zlib.inflate), promisify(zlib.inflateRaw)];
const brotli = promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress);

const unpacks: Readonly<Record<Coding, Unpack | undefined>> = {
  gzip: (packed, maxOutputLength) => gunzip(packed, { ...lenient, maxOutputLength }),
  // RFC 9110 means zlib's form; some servers send the bare one.
  deflate: (packed, maxOutputLength) =>
    (isZlib(packed) ? inflate : inflateRaw)(packed, { ...lenient, maxOutputLength }),
  br: (packed, maxOutputLength) =>
    brotli(packed, { finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH, maxOutputLength }),
  zstd: zstdOfNode(),
};

const codings = new Map<string, Coding>([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'br'],
  ['zstd', 'zstd'],
]);

/**
 * Unpacks a body.
 * @param contentEncoding the header; codings that nobody knows count as none
 * @param maxBytes the most that any layer may unpack to
 * @returns the plain bytes, or why there are none
 */
export async function unpackBody(body: Buffer, contentEncoding: string, maxBytes: number): Promise<Buffer | Reason> {
  const named = contentEncoding
    .toLowerCase()
    .split(',', 16)
    .flatMap((name) => codings.get(name.trim()) ?? [])
    .reverse();
  let bytes = body;
  for (let layer = 0; layer < maxLayers; layer++) {
    const [marked, told] = [codingByMark(bytes), named.shift()];
    if (marked === undefined && (told === undefined || looksPlain(bytes))) {
      if (named.length === 0) return bytes;
      continue;
    }
    const unpacked = await unpackBy([marked, told], bytes, maxBytes);
    if (!Buffer.isBuffer(unpacked)) return unpacked;
    bytes = unpacked;
  }
  return codingByMark(bytes) === undefined ? bytes : reasonOf('answer-not-unpacked');
}

/** Unpacks one layer by the first coding that fits. */
async function unpackBy(
  tried: readonly (Coding | undefined)[],
  packed: Buffer,
  maxBytes: number,
): Promise<Buffer | Reason> {
  for (const coding of new Set(tried)) {
    const unpack = coding && unpacks[coding];
    if (unpack === undefined) continue;
    try {
      return await unpack(packed, maxBytes);
    } catch (error) {
      const isTooLong = errorCode(error) === 'ERR_BUFFER_TOO_LARGE';
      if (isTooLong) return reasonOf('answer-too-long');
    }
  }
  return reasonOf('answer-not-unpacked');
}

/** Tells the coding by the mark that its bytes begin with. */
function codingByMark(bytes: Buffer): Coding | undefined {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 8) return 'gzip';
  return bytes.length >= 4 && bytes.readUInt32LE(0) === 0xfd2fb528 ? 'zstd' : undefined;
}

/** RFC 1950: the method is 8, and both bytes together are a multiple of 31. */
function isZlib(bytes: Buffer): boolean {
  return bytes.length >= 2 && ((bytes[0] ?? 0) & 15) === 8 && bytes.readUInt16BE(0) % 31 === 0;
}

/** Tells whether bytes begin as text does, in spite of a header that calls them packed. */
function looksPlain(bytes: Buffer): boolean {
  // The mark of UTF-16, which no deflated bytes begin with.
  if (bytes.length >= 2 && [0xfffe, 0xfeff].includes(bytes.readUInt16BE(0))) return true;
  const start = bytes.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf])) ? 3 : 0;
  const isLetter = (byte: number): boolean =>
    (byte >= 0x20 && byte !== 0x7f) || byte === 9 || byte === 10 || byte === 13;
  const first = bytes.subarray(start, start + lookedAt.first);
  return first.every((byte) => isLetter(byte) && byte < 0x7f) && bytes.subarray(0, lookedAt.all).every(isLetter);
}

/** Returns what unpacks Zstandard, which only newer versions of Node have. */
function zstdOfNode(): Unpack | undefined {
  if (!('zstdDecompress' in zlib) || typeof zlib.zstdDecompress !== 'function') return undefined;
  const unpack = promisify(zlib.zstdDecompress) as (packed: Buffer, options: zlib.ZlibOptions) => Promise<Buffer>;
  return (packed, maxOutputLength) => unpack(packed, { maxOutputLength });
}
