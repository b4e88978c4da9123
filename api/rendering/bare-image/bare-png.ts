/** Reduces PNG to its pixels without notes; of an animated one, to the picture that everybody sees. */
import { crc32, inflateSync } from 'node:zlib';
import { isPlainProfile, maxProfileBytes } from './colour-profile.ts';
import { keptParts } from './kept-parts.ts';
import { exifOf, readOrientation } from './orientation.ts';

const signatureBytes = 8;
const kept = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND']);

/** Keeps header, palette, transparency and pixels, with a plain profile and the orientation. */
export function barePng(bytes: Buffer): Buffer | undefined {
  const parts = keptParts(bytes);
  parts.keep(0, signatureBytes);
  let [hasProfile, hasPixels] = [false, false];
  let exif: Buffer | undefined;
  for (let at = signatureBytes; at + 8 <= bytes.length; ) {
    const name = bytes.toString('latin1', at + 4, at + 8);
    // A cut-off file is for the library to judge: in a picture with all its pixels only the end may be missing.
    const end = Math.min(at + 12 + bytes.readUInt32BE(at), bytes.length);
    if (!parts.meet()) return undefined;
    const data = bytes.subarray(at + 8, end - 4);
    if (name === 'eXIf') exif ??= data;
    // The orientation stands before the pixels.
    const sides = name === 'IDAT' && !hasPixels && exif !== undefined ? exifOf(readOrientation(exif)) : undefined;
    if (sides !== undefined) parts.add(chunk('eXIf', sides));
    hasPixels ||= name === 'IDAT';
    const isProfile = name === 'iCCP' && !hasProfile && isPlain(data);
    if (kept.has(name) || isProfile) parts.keep(at, end);
    hasProfile ||= isProfile;
    at = end;
    if (name === 'IEND') break;
  }
  return parts.bytes();
}

/** Tells whether a profile is plain. Its chunk holds a name, the number of its compression, and the profile. */
function isPlain(data: Buffer): boolean {
  const name = data.subarray(0, 80).indexOf(0);
  if (name < 0) return false;
  try {
    return isPlainProfile(inflateSync(data.subarray(name + 2), { maxOutputLength: maxProfileBytes }));
  } catch {
    return false;
  }
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
