/** Recognises HEIC, HEIF and AVIF by the brands at the beginning of a file. */
import type { ImageFormat, PlainFormat } from './bare-image/bare-image.ts';

/** The formats of this family. */
export type HeifFormat = Exclude<ImageFormat, PlainFormat>;

/** The bytes in which the brands stand. */
export const brandBytes = 256;

/** Returns the format that the brands at the beginning of a file name; undefined for films and everything else. */
export function heifFormat(bytes: Uint8Array): HeifFormat | undefined {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, brandBytes));
  if (head.toString('latin1', 4, 8) !== 'ftyp') return undefined;
  const brands = head.toString('latin1', 8, Math.max(8, Math.min(head.readUInt32BE(0), head.length)));
  const names = brands.match(/.{4}/gs) ?? [];
  if (names.some((name) => name === 'avif' || name === 'avis')) return 'avif';
  return names.some((name) => /^(?:hei[cmsx]|hev[cmsx]|mif1|msf1)$/.test(name)) ? 'heic' : undefined;
}
