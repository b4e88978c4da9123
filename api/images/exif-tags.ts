/**
 * Reads a few tags of EXIF: when a picture was taken, by what, and how it is turned. Two directories are looked at, each
 * once and up to a bound, so no chain of them can go on for ever; the one with coordinates is never opened.
 */
import { exifMark } from './bare-image/orientation.ts';
import { writeDigits } from './capture-date.ts';

/** The tags of a picture. */
export interface ExifTags {
  /** `YYYY-MM-DDTHH:MM:SS` as the camera's clock showed it. */
  readonly taken?: string | undefined;
  readonly make?: string | undefined;
  readonly model?: string | undefined;
}

const [makeTag, modelTag, detailsTag] = [0x010f, 0x0110, 0x8769] as const;
const [takenTag, digitizedTag] = [0x9003, 0x9004] as const;

/** Types whose values are bytes of a text: ASCII, undefined, and UTF-8 as newer cameras write it. */
const textTypes: ReadonlySet<number> = new Set([2, 7, 129]);
const long = 4;

/** A camera writes some dozens. */
const maxEntries = 512;
const maxText = 64;

interface Entry {
  readonly type: number;
  readonly count: number;
  /** Where the value stands that four bytes hold, or else its place. */
  readonly at: number;
}

interface Numbers {
  two(at: number): number;
  four(at: number): number;
}

/** Reads the tags. A tag that lies outside of the bytes, or contradicts itself, is left out. */
export function readExifTags(given: Buffer): ExifTags {
  const exif = given.subarray(0, exifMark.length).equals(exifMark) ? given.subarray(exifMark.length) : given;
  const order = exif.toString('latin1', 0, 4);
  if (exif.length < 8 || (order !== 'MM\0*' && order !== 'II*\0')) return {};
  const isBig = order === 'MM\0*';
  const numbers: Numbers = {
    two: (at) => (isBig ? exif.readUInt16BE(at) : exif.readUInt16LE(at)),
    four: (at) => (isBig ? exif.readUInt32BE(at) : exif.readUInt32LE(at)),
  };
  const main = entriesAt(exif, numbers, numbers.four(4));
  const details = main.get(detailsTag);
  const within = details?.type === long ? entriesAt(exif, numbers, numbers.four(details.at)) : new Map<number, Entry>();
  const text = (entry: Entry | undefined): string | undefined => textOf(exif, numbers, entry);
  return {
    taken: readDate(text(within.get(takenTag))) ?? readDate(text(within.get(digitizedTag))),
    make: text(main.get(makeTag)),
    model: text(main.get(modelTag)),
  };
}

/** Reads a directory: the first entry of each tag. */
function entriesAt(exif: Buffer, { two, four }: Numbers, start: number): ReadonlyMap<number, Entry> {
  const entries = new Map<number, Entry>();
  if (start < 8 || start + 2 > exif.length) return entries;
  const count = Math.min(two(start), maxEntries);
  for (let entry = 0, at = start + 2; entry < count && at + 12 <= exif.length; entry++, at += 12) {
    const tag = two(at);
    if (!entries.has(tag)) entries.set(tag, { type: two(at + 2), count: four(at + 4), at: at + 8 });
  }
  return entries;
}

/** Returns the printable characters of a text up to its end; undefined for none. */
function textOf(exif: Buffer, { four }: Numbers, entry: Entry | undefined): string | undefined {
  if (entry === undefined || !textTypes.has(entry.type)) return undefined;
  const start = entry.count <= 4 ? entry.at : four(entry.at);
  const bytes = exif.subarray(start, start + Math.min(entry.count, maxText));
  const [written = ''] = bytes.toString('utf8').split('\0', 1);
  const text = written.replace(/[\p{C}\ufffd]/gu, '').trim();
  return text === '' ? undefined : text;
}

const dateText = /^(\d{4})[-:/.](\d\d)[-:/.](\d\d)[ T](\d\d):(\d\d)(?::(\d\d))?/;

function readDate(text: string | undefined): string | undefined {
  const found = dateText.exec(text ?? '');
  if (found === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = found.slice(1, 6).map(Number);
  // Some phones count the hours of a day from 1 to 24: the last one is the first of the same day.
  return writeDigits({ year, month, day, hour: hour === 24 ? 0 : hour, minute, second: Number(found[6] ?? 0) });
}
