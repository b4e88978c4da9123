/**
 * Turns HEIC, HEIF and AVIF into what the image library reads: a HEIC into a PNG of its pixels, an AVIF into itself, where
 * its colours are said in a way that the library follows.
 */

import { deflateSync } from 'node:zlib';
import type { ImageFormat, PlainFormat } from './bare-image/bare-image.ts';
import { pngChunk } from './bare-image/bare-png.ts';
import { codedProfile, isBright } from './bare-image/coded-profile.ts';
import { isPlainProfile } from './bare-image/colour-profile.ts';
import type { BareImage, ImageNote } from './bare-image/image-notes.ts';
import { openImage, openPixels } from './configure-sharp.ts';
import { decodeHeic, type HeifHeader, type HeifPicture, readHeifHeader } from './read-heif.ts';

/** The formats of this family. */
export type HeifFormat = Exclude<ImageFormat, PlainFormat>;

/** The part of a file in which its brands and the kinds of its pictures stand. */
const headBytes = 64 * 1024;

/** Returns the format that the brands at the beginning of a file name; undefined for films and everything else. */
export function heifFormat(bytes: Uint8Array): HeifFormat | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 256));
  if (head.toString('latin1', 4, 8) !== 'ftyp') return undefined;
  const brands = head.toString('latin1', 8, Math.max(8, Math.min(head.readUInt32BE(0), head.length)));
  const names = brands.match(/.{4}/gs) ?? [];
  if (names.some((name) => name === 'avif' || name === 'avis')) return 'avif';
  return names.some((name) => /^(?:hei[cmsx]|hev[cmsx]|mif1|msf1)$/.test(name)) ? 'heic' : undefined;
}

/**
 * Returns the primary picture as a file that the image library reads.
 * @returns undefined for a file whose pixels are not all there
 * @throws HeifError for what is no such file, or beyond a limit
 */
export async function bareHeif(bytes: Uint8Array, format: HeifFormat): Promise<BareImage | undefined> {
  const picture = format === 'heic' ? await decodeHeic(bytes) : undefined;
  if (format === 'heic' && picture === undefined) return undefined;
  const header = picture ?? (await readHeifHeader(bytes));
  const notes = notesOf(bytes, header);
  const profile = isPlainOrNone(header.profile) ?? (header.codes && codedProfile(header.codes));
  if (picture !== undefined) return { bytes: await asPng(picture, profile), notes };
  // The library follows an AVIF's profile, but not its codes.
  if (header.profile !== undefined || profile === undefined) return { bytes: Buffer.from(bytes), notes };
  const { data, info } = await openImage(bytes).autoOrient().flatten({ background: '#ffffff' }).raw().toBuffer({
    resolveWithObject: true,
  });
  return { bytes: await asPng({ rgb: data, width: info.width, height: info.height }, profile), notes };
}

const isPlainOrNone = (profile: Buffer | undefined): Buffer | undefined =>
  profile !== undefined && isPlainProfile(profile) ? profile : undefined;

function notesOf(bytes: Uint8Array, { profile, codes }: HeifHeader): ImageNote[] {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, headBytes));
  const hasGainMap = head.includes('urn:com:apple:photo:2020:aux:hdrgainmap') || head.includes('tmap');
  return [
    ...(profile !== undefined && !isPlainProfile(profile) ? (['profile-left-out'] as const) : []),
    ...(hasGainMap ? (['gain-map-left-out'] as const) : []),
    ...(codes !== undefined && isBright(codes) ? (['brightness-reduced'] as const) : []),
  ];
}

/** The place of the first chunk after the header. */
const afterHeader = 8 + 25;

async function asPng(
  { rgb, width, height }: Pick<HeifPicture, 'rgb' | 'width' | 'height'>,
  profile: Buffer | undefined,
): Promise<Buffer> {
  const png = await openPixels(rgb, width, height).png({ compressionLevel: 0 }).toBuffer();
  if (profile === undefined) return png;
  const chunk = pngChunk('iCCP', Buffer.concat([Buffer.from('made\0\0', 'latin1'), deflateSync(profile)]));
  return Buffer.concat([png.subarray(0, afterHeader), chunk, png.subarray(afterHeader)]);
}
