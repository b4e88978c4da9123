/**
 * Reads the write-ahead log of SQLite: the pages of transactions that were committed, and nothing of the others. The file
 * may be written meanwhile; a frame counts once its checksum and that of all before it are right, and its transaction ended.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { errorCode } from '../error-code.ts';

/** A place in a log: everything before it was read. */
export interface WalPlace {
  /** The two random numbers of the log, which change whenever it begins again; undefined before the first frame. */
  readonly salts: readonly [number, number] | undefined;
  /** Frames before this place. */
  readonly frames: number;
  /** The running checksum of all of them. */
  readonly sums: readonly [number, number];
}

/** The pages of some transactions, each as the last of them left it. */
export interface CommittedPages {
  readonly pages: ReadonlyMap<number, Buffer>;
  /** The size of the database after them, in pages; 0 where nothing was committed. */
  readonly size: number;
  readonly place: WalPlace;
  /** True where the bound ended the reading before the log did. */
  readonly isCut: boolean;
}

/** The log is not the one that was read before, or one transaction is larger than the bound: a new copy is needed. */
export type WalRead = CommittedPages | 'other-log' | 'too-large';

/** The place before everything. */
export const beforeAll: WalPlace = { salts: undefined, frames: 0, sums: [0, 0] };

const headerBytes = 32;
const frameHeader = 24;
const magic = 0x377f0682;
const framesAtOnce = 128;

interface Log {
  readonly salts: readonly [number, number];
  readonly sums: readonly [number, number];
  readonly pageSize: number;
  readonly isLittle: boolean;
}

/**
 * Reads what was committed since a place.
 * @param most the bytes of pages that are returned at most; 0 finds the end alone, whatever is written before it
 */
export function readWal(file: string, from: WalPlace, most: number): WalRead {
  const nothing = { pages: new Map<number, Buffer>(), size: 0, place: from, isCut: false };
  let fd: number;
  try {
    fd = openSync(file, 'r');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return nothing;
    throw error;
  }
  try {
    const log = readHeader(fd);
    // Nothing was written since the log was made, or its beginning is just being written.
    if (log === undefined) return nothing;
    const start = placeIn(log, from);
    return start === undefined ? 'other-log' : readFrames(fd, log, start, most);
  } finally {
    closeSync(fd);
  }
}

/** The place in this log: the same one, or its beginning where SQLite began again after everything was read. */
function placeIn({ salts, sums }: Log, from: WalPlace): WalPlace | undefined {
  const beginning = { salts, frames: 0, sums };
  if (from.salts === undefined) return beginning;
  if (from.salts[0] === salts[0] && from.salts[1] === salts[1]) return from;
  return salts[0] === (from.salts[0] + 1) >>> 0 ? beginning : undefined;
}

function readHeader(fd: number): Log | undefined {
  const bytes = Buffer.alloc(headerBytes);
  if (readSync(fd, bytes, 0, headerBytes, 0) < headerBytes) return undefined;
  const isLittle = bytes.readUInt32BE(0) === magic;
  if ((bytes.readUInt32BE(0) & ~1) >>> 0 !== magic) return undefined;
  const sums = checksum(viewOf(bytes), [0, headerBytes - 8], [0, 0], isLittle);
  if (sums[0] !== bytes.readUInt32BE(24) || sums[1] !== bytes.readUInt32BE(28)) return undefined;
  return { salts: [bytes.readUInt32BE(16), bytes.readUInt32BE(20)], sums, pageSize: bytes.readUInt32BE(8), isLittle };
}

function readFrames(fd: number, log: Log, start: WalPlace, most: number): WalRead {
  const frameBytes = frameHeader + log.pageSize;
  const chunk = Buffer.allocUnsafeSlow(framesAtOnce * frameBytes);
  const view = viewOf(chunk);
  const pages = new Map<number, Buffer>();
  let pending: [number, Buffer][] = [];
  let [place, size] = [start, 0];
  let { frames, sums } = start;
  for (;;) {
    const got = readSync(fd, chunk, 0, chunk.length, headerBytes + frames * frameBytes);
    const whole = Math.floor(got / frameBytes);
    for (let at = 0; at < whole * frameBytes; at += frameBytes) {
      const isOfLog = view.getUint32(at + 8) === log.salts[0] && view.getUint32(at + 12) === log.salts[1];
      if (!isOfLog) return { pages, size, place, isCut: false };
      const ofHeader = checksum(view, [at, at + 8], sums, log.isLittle);
      const after = checksum(view, [at + frameHeader, at + frameBytes], ofHeader, log.isLittle);
      const isWhole = after[0] === view.getUint32(at + 16) && after[1] === view.getUint32(at + 20);
      if (!isWhole) return { pages, size, place, isCut: false };
      sums = after;
      frames++;
      const committed = view.getUint32(at + 4);
      if (most > 0) pending.push([view.getUint32(at), Buffer.from(chunk.subarray(at + frameHeader, at + frameBytes))]);
      if (most > 0 && (pages.size + pending.length) * log.pageSize > most) {
        if (pages.size > 0) return { pages, size, place, isCut: true };
        if (committed === 0) return 'too-large';
      }
      if (committed === 0) continue;
      for (const [number, bytes] of pending) pages.set(number, bytes);
      pending = [];
      size = committed;
      place = { salts: log.salts, frames, sums };
    }
    if (whole < framesAtOnce) return { pages, size, place, isCut: false };
  }
}

const viewOf = (bytes: Buffer): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** SQLite's running checksum over a range, whose length is a multiple of eight. */
function checksum(
  view: DataView,
  [from, until]: readonly [number, number],
  [first, second]: readonly [number, number],
  isLittle: boolean,
): [number, number] {
  let [one, two] = [first, second];
  for (let at = from; at < until; at += 8) {
    one = (one + view.getUint32(at, isLittle) + two) >>> 0;
    two = (two + view.getUint32(at + 4, isLittle) + one) >>> 0;
  }
  return [one, two];
}
