/** JPEG without its notes: tables, frame and scans stay as they are. */
import { complementProfile } from './coded-profile.ts';
import { isPlainProfile, maxProfileBytes } from './colour-profile.ts';
import type { BareImage, ImageNote } from './image-notes.ts';
import { keptParts } from './kept-parts.ts';
import { exifMark, exifOf, readOrientation } from './orientation.ts';

const [startOfImage, endOfImage, startOfScan, comment] = [0xd8, 0xd9, 0xda, 0xfe] as const;
const profileMark = Buffer.from('ICC_PROFILE\0', 'latin1');
const end = Buffer.of(0xff, endOfImage);
/** Adobe's note without a transform: its inks are stored as their complements. */
const adobeNote = Buffer.from('ffee000e41646f626500640000000000', 'hex');

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
  hasGainMap?: boolean;
  readonly profile: Buffer[];
}

/**
 * Drops comments and applications' segments, except those that colours and orientation need. Bytes that stand where no
 * segment begins, a second beginning and a missing end are not damage: viewers overlook them, and no pixel is lost.
 * @returns undefined for bytes without any pixels
 */
export function bareJpeg(bytes: Buffer): BareImage | undefined {
  const parts = keptParts(bytes);
  const notes: Notes = { profile: [] };
  let [scans, inks] = [0, 0];
  let hasEnd = false;
  for (let segment = segmentAt(bytes, 2); segment !== undefined; segment = segmentAt(bytes, segment.end)) {
    const { marker, start, end } = segment;
    if (!parts.meet()) return undefined;
    hasEnd = marker === endOfImage;
    // Another picture may follow one that has no end.
    if (hasEnd || (scans > 0 && (marker === startOfImage || isFrame(marker)))) break;
    if (isFrame(marker)) inks = bytes[start + 9] ?? 0;
    if (isNote(marker)) {
      if (scans === 0) takeNote(notes, marker, bytes.subarray(start, end));
    } else if (hasData(marker)) {
      parts.keep(start, end);
    }
    if (marker === startOfScan && ++scans > maxScans) return undefined;
  }
  if (scans === 0) return undefined;
  const isGuessed = inks === 4 && notes.adobe === undefined;
  // Viewers take the inks of every printer's JPEG for complements, even without a note to that effect.
  if (isGuessed) notes.adobe = adobeNote;
  const { kept, profile } = plainNotes(notes, inks === 4);
  // A printer's profile would be the library's choice for inks that have none.
  if (isGuessed && profile !== 'kept') kept.push(...profileSegments(complementProfile()));
  const doubts: ImageNote[] = [
    ...(hasEnd ? [] : (['end-missing'] as const)),
    ...(profile === 'left-out' ? (['profile-left-out'] as const) : []),
    ...(isGuessed ? (['inks-guessed'] as const) : []),
    ...(notes.hasGainMap ? (['gain-map-left-out'] as const) : []),
  ];
  return { bytes: Buffer.concat([Buffer.of(0xff, startOfImage), ...kept, parts.bytes(), end]), notes: doubts };
}

/**
 * Returns the picture with bytes that no file has inserted before the end of each of its scans. Pixels that they change
 * were not in the file; after a whole scan they have no effect.
 * @param bare a picture of `bareJpeg`
 */
export function continuedJpeg(bare: Buffer, more: Buffer): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  for (let segment = segmentAt(bare, 2); segment !== undefined; segment = segmentAt(bare, segment.end)) {
    if (segment.marker !== startOfScan) continue;
    parts.push(bare.subarray(from, segment.end), more);
    from = segment.end;
  }
  return Buffer.concat([...parts, bare.subarray(from)]);
}

/** Counts the scans of a picture of `bareJpeg`. */
export function countScans(bare: Buffer): number {
  let scans = 0;
  for (let segment = segmentAt(bare, 2); segment !== undefined; segment = segmentAt(bare, segment.end)) {
    if (segment.marker === startOfScan) scans++;
  }
  return scans;
}

function isNote(marker: number): boolean {
  return (marker >= 0xe0 && marker <= 0xef) || marker === comment;
}

/** Returns whether a frame begins: tables for Huffman and arithmetic coding and an extension have numbers among them. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

/** Returns whether a marker has data. The others mean nothing between segments. */
function hasData(marker: number): boolean {
  return marker >= 0xc0 && marker !== startOfImage && marker !== endOfImage && !isRestart(marker);
}

/**
 * Finds the next segment, as the decoder does: bytes before its marker are skipped. A scan's segment ends with its
 * pixels.
 * @returns undefined where none begins, or it is cut off
 */
function segmentAt(bytes: Buffer, at: number): Segment | undefined {
  let start = at;
  while (start + 1 < bytes.length && (bytes[start] !== 0xff || bytes[start + 1] === 0 || bytes[start + 1] === 0xff)) {
    start++;
  }
  const marker = bytes[start + 1];
  if (marker === undefined) return undefined;
  if (!hasData(marker)) return { marker, start, end: start + 2 };
  if (start + 4 > bytes.length) return undefined;
  const length = bytes.readUInt16BE(start + 2);
  const end = start + 2 + length;
  if (length < 2 || end > bytes.length) return undefined;
  return { marker, start, end: marker === startOfScan ? endOfScan(bytes, end) : end };
}

function isRestart(marker: number): boolean {
  return marker >= 0xd0 && marker <= 0xd7;
}

/** Returns the end of a scan's pixels, at the first marker that does not belong to them. */
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
  else if (marker === 0xe1 && data.includes('hdrgm:Version')) notes.hasGainMap = true;
  else if (marker === 0xe2 && begins('urn:iso:std:iso:ts:21496:-1\0')) notes.hasGainMap = true;
  else if (marker === 0xe2 && begins('ICC_PROFILE\0') && notes.profile.length < 255) notes.profile.push(segment);
}

function plainNotes(
  { jfif, adobe, exif, profile }: Notes,
  hasInks: boolean,
): { kept: Buffer[]; profile: 'none' | 'kept' | 'left-out' } {
  const sides = exif && exifOf(readOrientation(exif));
  const note = sides && Buffer.concat([Buffer.of(0xff, 0xe1, 0, 2 + exifMark.length + sides.length), exifMark, sides]);
  const isFollowed = profile.length > 0 && isPlain(profile, hasInks);
  const kept = [jfif, adobe, note, ...(isFollowed ? profile : [])].filter((part) => part !== undefined);
  return { kept, profile: profile.length === 0 ? 'none' : isFollowed ? 'kept' : 'left-out' };
}

/** The most of a profile that one segment holds. */
const maxPiece = 65_000;

function profileSegments(profile: Buffer): Buffer[] {
  const count = Math.ceil(profile.length / maxPiece);
  return Array.from({ length: count }, (_, index) => {
    const piece = profile.subarray(index * maxPiece, (index + 1) * maxPiece);
    const head = Buffer.from([0xff, 0xe2, 0, 0, ...profileMark, index + 1, count]);
    head.writeUInt16BE(head.length - 2 + piece.length, 2);
    return Buffer.concat([head, piece]);
  });
}

/**
 * Returns whether a profile is plain. It comes in numbered segments; only a whole one in order is followed, and one of inks
 * where there are some.
 */
function isPlain(segments: readonly Buffer[], hasInks: boolean): boolean {
  const head = 4 + profileMark.length;
  const isInOrder = segments.every((one, index) => one[head] === index + 1 && one[head + 1] === segments.length);
  const bytes = segments.reduce((sum, { length }) => sum + length, 0);
  if (!isInOrder || bytes > maxProfileBytes) return false;
  const profile = Buffer.concat(segments.map((one) => one.subarray(head + 2)));
  return isPlainProfile(profile) && (profile.toString('latin1', 16, 20) === 'CMYK') === hasInks;
}
