/**
 * Unpacks what a server compressed, whether or not it was asked to: by the header, and by the bytes where there is no
 * such header. Both lie at times (T-90).
 */
import { Readable, type Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { reasonOf } from '../../reasons/reason.ts';
import { ReasonedError } from '../../reasons/reasoned-error.ts';

/** The most layers of compression; honest answers have one, and two where a proxy packed a packed file. */
const maxLayers = 4;
/**
 * The numbers of first bytes that distinguish text from packed bytes, which hardly ever begin with so many of ASCII, or
 * hold so many without a control character.
 */
const lookedAt = { first: 16, all: 512 } as const;

type Coding = 'gzip' | 'deflate' | 'br' | 'zstd';

const chunkSize = 64 * 1024;
/** A missing end is left to the reader of the text, whose format has its own end. */
const lenient = { finishFlush: zlib.constants.Z_SYNC_FLUSH, chunkSize } as const;

/** Makes what unpacks bytes of a coding that begin like this; undefined where this Node cannot. */
const unpacks: Readonly<Record<Coding, (start: Buffer) => Transform | undefined>> = {
  gzip: () => zlib.createGunzip(lenient),
  // RFC 9110 means zlib's form; some servers send the bare one.
  deflate: (start) => (isZlib(start) ? zlib.createInflate(lenient) : zlib.createInflateRaw(lenient)),
  br: () => zlib.createBrotliDecompress({ finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH, chunkSize }),
  zstd: zstdOfNode,
};

const codings = new Map<string, Coding>([
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'br'],
  ['zstd', 'zstd'],
]);

/**
 * Unpacks a body while it comes.
 * @param contentEncoding the header; codings that nobody knows count as none
 * @param maxBytes the most that the body may have, and any layer may unpack to
 * @throws ReasonedError for a body that is too long or cannot be unpacked, and what the body throws
 */
export function unpackedPieces(
  body: AsyncIterable<Buffer>,
  contentEncoding: string,
  maxBytes: number,
): AsyncIterable<Buffer> {
  const named = contentEncoding
    .toLowerCase()
    .split(',', 16)
    .flatMap((name) => codings.get(name.trim()) ?? [])
    .reverse();
  return unpackLayer(atMost(body, maxBytes), named, maxBytes, 0);
}

/** Reads bytes whole. */
export async function joined(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of body) pieces.push(piece);
  const [only, ...more] = pieces;
  return only !== undefined && more.length === 0 ? only : Buffer.concat(pieces);
}

async function* unpackLayer(
  body: AsyncIterable<Buffer>,
  named: readonly Coding[],
  maxBytes: number,
  layer: number,
): AsyncGenerator<Buffer> {
  const rest = body[Symbol.asyncIterator]();
  const start = await readStart(rest);
  const whole = startingWith(start, rest);
  const [told, ...inner] = named;
  const marked = codingByMark(start);
  const coding = marked ?? (told !== undefined && !looksPlain(start) ? told : undefined);
  if (coding === undefined && inner.length === 0) {
    yield* whole;
    return;
  }
  if (layer === maxLayers) throw new ReasonedError(reasonOf('answer-not-unpacked'));
  const unpacked = coding === undefined ? whole : atMost(unpackBy(coding, start, whole), maxBytes);
  yield* unpackLayer(unpacked, inner, maxBytes, layer + 1);
}

/** Unpacks one layer. */
async function* unpackBy(coding: Coding, start: Buffer, packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const unpack = unpacks[coding](start);
  if (unpack === undefined) throw new ReasonedError(reasonOf('answer-not-unpacked'));
  const source = Readable.from(packed, { objectMode: false });
  let broken: unknown;
  source.once('error', (error) => {
    broken = error;
    unpack.destroy(error);
  });
  try {
    for await (const piece of source.pipe(unpack)) yield piece as Buffer;
  } catch (error) {
    throw broken ?? (error instanceof ReasonedError ? error : new ReasonedError(reasonOf('answer-not-unpacked')));
  } finally {
    source.destroy();
    unpack.destroy();
  }
}

/** Reads as much as is looked at. */
async function readStart(body: AsyncIterator<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  while (bytes < lookedAt.all) {
    const next = await body.next();
    if (next.done === true) break;
    pieces.push(next.value);
    bytes += next.value.length;
  }
  const [only, ...more] = pieces;
  return only !== undefined && more.length === 0 ? only : Buffer.concat(pieces);
}

async function* startingWith(start: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  if (start.length > 0) yield start;
  try {
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

/** Passes bytes on until there are too many. */
async function* atMost(body: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > maxBytes) throw new ReasonedError(reasonOf('answer-too-long'));
    yield piece;
  }
}

/** Recognizes the coding by the mark that its bytes begin with. */
function codingByMark(bytes: Buffer): Coding | undefined {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 8) return 'gzip';
  return bytes.length >= 4 && bytes.readUInt32LE(0) === 0xfd2fb528 ? 'zstd' : undefined;
}

/** RFC 1950: the method is 8, and both bytes together are a multiple of 31. */
function isZlib(bytes: Buffer): boolean {
  return bytes.length >= 2 && ((bytes[0] ?? 0) & 15) === 8 && bytes.readUInt16BE(0) % 31 === 0;
}

/** Returns whether bytes begin as text does, in spite of a header that calls them packed. */
function looksPlain(bytes: Buffer): boolean {
  // The mark of UTF-16, which no deflated bytes begin with.
  if (bytes.length >= 2 && [0xfffe, 0xfeff].includes(bytes.readUInt16BE(0))) return true;
  const start = bytes.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf])) ? 3 : 0;
  const isLetter = (byte: number): boolean =>
    (byte >= 0x20 && byte !== 0x7f) || byte === 9 || byte === 10 || byte === 13;
  const first = bytes.subarray(start, start + lookedAt.first);
  return first.every((byte) => isLetter(byte) && byte < 0x7f) && bytes.subarray(0, lookedAt.all).every(isLetter);
}

/** Makes what unpacks Zstandard, which only newer versions of Node can. */
function zstdOfNode(): Transform | undefined {
  if (!('createZstdDecompress' in zlib) || typeof zlib.createZstdDecompress !== 'function') return undefined;
  return (zlib.createZstdDecompress as (options: { readonly chunkSize: number }) => Transform)({ chunkSize });
}
