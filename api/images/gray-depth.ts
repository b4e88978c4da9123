/** Gray of 16 bits with a profile: the image library follows profiles of gray only in 8 bits. */
import type { Metadata } from 'sharp';
import { type ImageReading, openImage } from './configure-sharp.ts';

const afterHeader = 8 + 25;

/** Returns whether a picture is gray of 16 bits with a profile. */
export function isDeepGray({ format, space, hasProfile }: Metadata): boolean {
  return format === 'png' && space === 'grey16' && hasProfile;
}

/**
 * Returns a PNG of such a picture in 8 bits with the same profile.
 * @param bare a picture of `bareImage`
 */
export async function shallowGray(bare: Buffer, reading: ImageReading): Promise<Buffer> {
  const shallow = await openImage(bare, reading).toColourspace('b-w').png({ compressionLevel: 1 }).toBuffer();
  const start = bare.indexOf('iCCP', afterHeader, 'latin1') - 4;
  const profile = bare.subarray(start, start + 12 + bare.readUInt32BE(start));
  return Buffer.concat([shallow.subarray(0, afterHeader), profile, shallow.subarray(afterHeader)]);
}
