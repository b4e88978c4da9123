/**
 * Turns HEIC, HEIF and AVIF into what the image library reads: a HEIC into a PNG of its pixels, an AVIF into itself,
 * where its colours are declared in a way that the library follows.
 */

import { codedProfile, isBright } from './bare-image/coded-profile.ts';
import { isPlainProfile } from './bare-image/colour-profile.ts';
import type { BareImage, ImageNote } from './bare-image/image-notes.ts';
import { openImage } from './configure-sharp.ts';
import type { HeifFormat } from './heif-format.ts';
import { readHeifItems, withoutTransforms } from './heif-items.ts';
import { judgeItems } from './judge-items.ts';
import { decodeHeic, type HeifHeader, readHeifHeader } from './read-heif.ts';
import { seenPixels } from './seen-pixels.ts';
import { uncompressedPng } from './uncompressed-png.ts';

/** The part of a file in which its brands and the kinds of its pictures stand. */
const headBytes = 64 * 1024;

/**
 * Returns the primary picture as a file that the image library reads.
 * @returns `broken` for a file whose pixels are not all there, or that is made of too many parts
 * @throws HeifError for anything but such a file, or beyond a limit; BrokenBoxes
 */
export async function bareHeif(
  given: Uint8Array,
  format: HeifFormat,
): Promise<BareImage | 'broken' | 'too-many-pixels'> {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.length);
  const items = readHeifItems(bytes);
  const refused = judgeItems(items);
  if (refused !== undefined) return refused;
  const picture = format === 'heic' ? await decodeHeic({ ...items, bytes }) : undefined;
  if (format === 'heic' && picture === undefined) return 'broken';
  const header = picture ?? (await readHeifHeader({ ...items, bytes }));
  const notes = notesOf(bytes, header);
  const profile = isPlainOrNone(header.profile) ?? (header.codes && codedProfile(header.codes));
  if (picture !== undefined) return { bytes: await uncompressedPng(picture, { profile }), notes };
  const transforms = items.items.get(items.primary ?? 0)?.transforms ?? [];
  const isCropped = transforms.some(({ kind }) => kind === 'crop');
  // The library follows an AVIF's profile, but not its codes.
  const isFollowed = header.profile !== undefined || profile === undefined;
  if (isFollowed && !isCropped) return { bytes, notes };
  const uncropped = isCropped ? withoutTransforms(bytes, items) : bytes;
  const decoded = await openImage(uncropped, { isUnconverted: !isFollowed })
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true })
    .catch(() => undefined);
  if (decoded === undefined) return 'broken';
  const whole = { rgb: decoded.data, width: decoded.info.width, height: decoded.info.height };
  const seen = isCropped ? seenPixels(whole, transforms, 1) : whole;
  return { bytes: await uncompressedPng(seen, { profile: isFollowed ? undefined : profile }), notes };
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
