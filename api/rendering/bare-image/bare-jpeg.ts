/** JPEG without its notes: tables, frame and scans stay as they are. */
import { isPlainProfile, maxProfileBytes } from './colour-profile.ts';
import { keptParts } from './kept-parts.ts';
import { exifMark, exifOf, readOrientation } from './orientation.ts';

const [startOfImage, endOfImage, startOfScan, comment] = [0xd8, 0xd9, 0xda, 0xfe] as const;
const profileMark = Buffer.from('ICC_PROFILE\0', 'latin1');

/** Encoders make a dozen scans. A file can have thousands, each of which goes over all pixels. */
const maxScans = 64;

/** A marker with its data; `end` is where the next marker is looked for. */
interface Segment {
  readonly marker: number;
  readonly start: number;
  readonly end: number;
}

/** The notes that are kept: the first of each kind, before the first scan. */
interface Notes {
  jfif?: Buffer;
  adobe?: Buffer;
  exif?: Buffer;
  readonly profile: Buffer[];
}

/** Drops comments and applications' segments, except those that colours and orientation need. */
export function bareJpeg(bytes: Buffer): Buffer | undefined {
  const parts = keptParts(bytes);
  const notes: Notes = { profile: [] };
  let scans = 0;
  let at = 2;
  while (at < bytes.length) {
    const segment = segmentAt(bytes, at);
    if (segment === undefined || !parts.meet()) return undefined;
    const { marker, start, end } = segment;
    if (isNote(marker)) {
      if (scans === 0) takeNote(notes, marker, bytes.subarray(start, end));
    } else {
      parts.keep(start, end);
    }
    if (marker === startOfScan && ++scans > maxScans) return undefined;
    at = end;
    if (marker === endOfImage) break;
  }
  return Buffer.concat([Buffer.of(0xff, startOfImage), ...plainNotes(notes), parts.bytes()]);
}

function isNote(marker: number): boolean {
  return (marker >= 0xe0 && marker <= 0xef) || marker === comment;
}

/**
 * Finds the segment that begins here; a scan's segment ends with its pixels.
 * @returns undefined where none begins, or it is cut off
 */
function segmentAt(bytes: Buffer, at: number): Segment | undefined {
  if (bytes[at] !== 0xff) return undefined;
  let start = at;
  while (bytes[start + 1] === 0xff) start++;
  const marker = bytes[start + 1];
  if (marker === undefined) return undefined;
  // These markers have no data; a marker out of place is for the library to judge.
  if (marker === endOfImage || marker === startOfImage || marker < 0xc0 || isRestart(marker)) {
    return { marker, start, end: start + 2 };
  }
  if (start + 4 > bytes.length) return undefined;
  const length = bytes.readUInt16BE(start + 2);
  const end = start + 2 + length;
  if (length < 2 || end > bytes.length) return undefined;
  return { marker, start, end: marker === startOfScan ? endOfScan(bytes, end) : end };
}

function isRestart(marker: number): boolean {
  return marker >= 0xd0 && marker <= 0xd7;
}

/** Returns the end of a scan's pixels, at the first marker that is none of their own. */
function endOfScan(bytes: Buffer, start: number): number {
  // The loop goes byte by byte: searching for the next marker is slow where there are millions.
  for (let at = start; at < bytes.length; at++) {
    if (bytes[at] !== 0xff) continue;
    const next = bytes[at + 1] ?? 0;
    if (next === 0 || isRestart(next)) at++;
    else if (next !== 0xff) return at;
  }
  return bytes.length;
}

function takeNote(notes: Notes, marker: number, segment: Buffer): void {
  const data = segment.subarray(4);
  const begins = (mark: string): boolean => data.toString('latin1', 0, mark.length) === mark;
  if (marker === 0xe0 && begins('JFIF\0')) notes.jfif ??= segment;
  else if (marker === 0xee && begins('Adobe')) notes.adobe ??= segment;
  else if (marker === 0xe1 && begins('Exif\0\0')) notes.exif ??= data;
  else if (marker === 0xe2 && begins('ICC_PROFILE\0') && notes.profile.length < 255) notes.profile.push(segment);
}

function plainNotes({ jfif, adobe, exif, profile }: Notes): Buffer[] {
  const sides = exif && exifOf(readOrientation(exif));
  const note = sides && Buffer.concat([Buffer.of(0xff, 0xe1, 0, 2 + exifMark.length + sides.length), exifMark, sides]);
  return [jfif, adobe, note, ...(isPlain(profile) ? profile : [])].filter((part) => part !== undefined);
}

/** Tells whether a profile is plain. It comes in numbered segments; only a whole one in order is followed. */
function isPlain(segments: readonly Buffer[]): boolean {
  const head = 4 + profileMark.length;
  const isInOrder = segments.every((one, index) => one[head] === index + 1 && one[head + 1] === segments.length);
  const bytes = segments.reduce((sum, { length }) => sum + length, 0);
  if (!isInOrder || bytes > maxProfileBytes) return false;
  return isPlainProfile(Buffer.concat(segments.map((one) => one.subarray(head + 2))));
}
