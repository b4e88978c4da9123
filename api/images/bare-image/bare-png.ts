/** Reduces PNG to its pixels without notes; of an animated one, to the picture that everybody sees. */
import { crc32, deflateSync, inflateSync } from 'node:zlib';
import { gammaProfile } from './coded-profile.ts';
import { isPlainProfile, maxProfileBytes } from './colour-profile.ts';
import type { BareImage, ImageNote } from './image-notes.ts';
import { keptParts } from './kept-parts.ts';
import { exifOf, readOrientation } from './orientation.ts';

const signatureBytes = 8;
const kept = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND']);

/** A file's own description of its colours and its sides, before its pixels. */
interface Said {
  profile?: Buffer;
  isSrgb?: boolean;
  isGray?: boolean;
  /** The exponent from light to number, in parts of 100,000. */
  gamma?: number;
  exif?: Buffer;
}

/** Keeps header, palette, transparency and pixels, with a plain profile and the orientation. */
export function barePng(bytes: Buffer): BareImage | undefined {
  const parts = keptParts(bytes);
  parts.keep(0, signatureBytes);
  const said: Said = {};
  const notes: ImageNote[] = [];
  let hasPixels = false;
  let hasEnd = false;
  for (let at = signatureBytes; at + 8 <= bytes.length && !hasEnd; ) {
    const name = bytes.toString('latin1', at + 4, at + 8);
    // A cut-off file is judged later: in a picture with all its pixels only the end may be missing.
    const end = Math.min(at + 12 + bytes.readUInt32BE(at), bytes.length);
    if (!parts.meet()) return undefined;
    const data = bytes.subarray(at + 8, Math.max(at + 8, end - 4));
    if (!hasPixels) listen(said, name, data);
    // Colours stand before the palette, the orientation before the pixels.
    if (name === 'IHDR') {
      parts.keep(at, end);
    } else if (kept.has(name)) {
      if (name === 'IDAT' && !hasPixels) addNotes(parts.add, said, notes);
      hasPixels ||= name === 'IDAT';
      parts.keep(at, end);
    }
    at = end;
    hasEnd = name === 'IEND';
  }
  if (!hasEnd) {
    notes.push('end-missing');
    parts.add(pngChunk('IEND', Buffer.alloc(0)));
  }
  return { bytes: parts.bytes(), notes };
}

function listen(said: Said, name: string, data: Buffer): void {
  // A profile of three colours is not followed in a picture of gray.
  if (name === 'IHDR') said.isGray = data[9] === 0 || data[9] === 4;
  else if (name === 'iCCP') said.profile ??= data;
  else if (name === 'sRGB') said.isSrgb = true;
  else if (name === 'gAMA' && data.length === 4) said.gamma ??= data.readUInt32BE();
  else if (name === 'eXIf') said.exif ??= data;
}

/** Adds the notes that are kept. The palette may come before: nobody but the library reads this file. */
function addNotes(add: (made: Buffer) => void, said: Said, notes: ImageNote[]): void {
  const { profile, isSrgb, isGray, gamma, exif } = said;
  if (profile !== undefined && isPlain(profile)) add(pngChunk('iCCP', profile));
  else if (profile !== undefined) notes.push('profile-left-out');
  else if (isSrgb !== true && gamma !== undefined) addGamma(add, { gamma, isGray }, notes);
  const sides = exif && exifOf(readOrientation(exif));
  if (sides !== undefined) add(pngChunk('eXIf', sides));
}

/** The gamma of screens, 1/2.2, which every viewer shows as sRGB. */
const ofScreens = 45_455;
const nearby = 1_000;
/** Light by a power beyond these is a mistake of the file. */
const [minGamma, maxGamma] = [10_000, 1_000_000];

function addGamma(
  add: (made: Buffer) => void,
  { gamma, isGray = false }: { gamma: number; isGray?: boolean | undefined },
  notes: ImageNote[],
): void {
  if (Math.abs(gamma - ofScreens) <= nearby) return;
  if (gamma < minGamma || gamma > maxGamma) {
    notes.push('gamma-left-out');
    return;
  }
  const profile = deflateSync(gammaProfile(100_000 / gamma, { isGray }));
  add(pngChunk('iCCP', Buffer.concat([Buffer.from('gamma\0\0', 'latin1'), profile])));
}

/** Returns whether a profile is plain. Its chunk holds a name, the number of its compression, and the profile. */
function isPlain(data: Buffer): boolean {
  const name = data.subarray(0, 80).indexOf(0);
  if (name < 0) return false;
  try {
    return isPlainProfile(inflateSync(data.subarray(name + 2), { maxOutputLength: maxProfileBytes }));
  } catch {
    return false;
  }
}

/** Builds a chunk of a PNG. */
export function pngChunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
