/** WebP without its notes, and of an animation the first frame: the library walks through all of them many times. */
import { isPlainProfile } from './colour-profile.ts';
import type { BareImage } from './image-notes.ts';
import { maxParts } from './kept-parts.ts';
import { exifOf, readOrientation } from './orientation.ts';

/** The flags of the extended header that announce notes. */
const flags = { profile: 0x20, exif: 0x08, xmp: 0x04 } as const;
const pixels = ['ALPH', 'VP8 ', 'VP8L'] as const;
const frameHeadBytes = 16;

type Chunks = ReadonlyMap<string, Buffer>;

/**
 * Keeps header, pixels and transparency, with a plain profile and the orientation. A stated length beyond the end of
 * the file is tolerated where the pixels are all there.
 */
export function bareWebp(bytes: Buffer): BareImage | undefined {
  if (bytes.length < 12) return undefined;
  const end = 8 + bytes.readUInt32LE(4);
  const chunks = firstChunks(bytes.subarray(12, end));
  if (chunks === undefined) return undefined;
  const extended = chunks.get('VP8X');
  const frame = chunks.get('ANMF');
  const notes = end > bytes.length ? (['end-missing'] as const) : [];
  if (extended === undefined) return { bytes: riff(kept(chunks, pixels)), notes };
  if (frame === undefined) return withNotes(extended, chunks, kept(chunks, pixels), notes);
  const within = frame.length < frameHeadBytes ? undefined : firstChunks(frame.subarray(frameHeadBytes));
  if (within === undefined) return undefined;
  const first = chunk('ANMF', [frame.subarray(0, frameHeadBytes), ...kept(within, pixels)]);
  return withNotes(extended, chunks, [...kept(chunks, ['ANIM']), ...first], notes);
}

/** Returns the share of the bytes that the file announces and has, from 0 to 1. */
export function shareOfWebp(bytes: Uint8Array): number {
  if (bytes.length < 12) return 0;
  const announced = new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true);
  return Math.min(1, bytes.length / (8 + announced));
}

/**
 * Finds the first chunk of each name, in their order.
 * @returns undefined for a file whose pixels are cut off
 */
function firstChunks(within: Buffer): Chunks | undefined {
  const chunks = new Map<string, Buffer>();
  let at = 0;
  for (let met = 0; at + 8 <= within.length; met++) {
    const name = within.toString('latin1', at, at + 4);
    const end = at + 8 + within.readUInt32LE(at + 4);
    if (met >= maxParts) return undefined;
    if (end > within.length) return isPixels(name) ? undefined : chunks;
    if (!chunks.has(name)) chunks.set(name, within.subarray(at + 8, end));
    at = end + (end % 2);
  }
  return chunks;
}

function isPixels(name: string): boolean {
  return name === 'ANMF' || pixels.some((one) => one === name);
}

/** Builds a picture with its extended header, which names the notes, and with the plain notes. */
function withNotes(extended: Buffer, chunks: Chunks, picture: readonly Buffer[], notes: BareImage['notes']): BareImage {
  const profile = chunks.get('ICCP');
  const isFollowed = profile !== undefined && isPlainProfile(profile);
  const sides = exifOf(readOrientation(chunks.get('EXIF') ?? Buffer.alloc(0)));
  const header = Buffer.from(extended);
  header[0] =
    ((header[0] ?? 0) & ~(flags.profile | flags.exif | flags.xmp)) |
    (isFollowed ? flags.profile : 0) |
    (sides === undefined ? 0 : flags.exif);
  const bytes = riff([
    ...chunk('VP8X', [header]),
    ...(isFollowed ? chunk('ICCP', [profile]) : []),
    ...picture,
    ...(sides === undefined ? [] : chunk('EXIF', [sides])),
  ]);
  return { bytes, notes: profile === undefined || isFollowed ? notes : [...notes, 'profile-left-out'] };
}

function kept(chunks: Chunks, names: readonly string[]): Buffer[] {
  return names.flatMap((name) => {
    const data = chunks.get(name);
    return data === undefined ? [] : chunk(name, [data]);
  });
}

/** Builds a chunk. It has an even number of bytes, whatever length its head states. */
function chunk(name: string, data: readonly Buffer[]): Buffer[] {
  const head = Buffer.alloc(8);
  head.write(name, 'latin1');
  const length = data.reduce((sum, part) => sum + part.length, 0);
  head.writeUInt32LE(length, 4);
  return [head, ...data, Buffer.alloc(length % 2)];
}

function riff(chunks: readonly Buffer[]): Buffer {
  return Buffer.concat(chunk('RIFF', [Buffer.from('WEBP', 'latin1'), ...chunks]));
}
