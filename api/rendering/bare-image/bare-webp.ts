/** WebP without its notes, and of an animation the first frame: the library walks through all of them many times. */
import { isPlainProfile } from './colour-profile.ts';
import { maxParts } from './kept-parts.ts';
import { exifOf, readOrientation } from './orientation.ts';

/** The flags of the extended header that announce notes. */
const flags = { profile: 0x20, exif: 0x08, xmp: 0x04 } as const;
const pixels = ['ALPH', 'VP8 ', 'VP8L'] as const;
const frameHeadBytes = 16;

type Chunks = ReadonlyMap<string, Buffer>;

/** Keeps header, pixels and transparency, with a plain profile and the orientation. */
export function bareWebp(bytes: Buffer): Buffer | undefined {
  if (bytes.length < 12) return undefined;
  const end = 8 + bytes.readUInt32LE(4);
  const chunks = end > bytes.length ? undefined : firstChunks(bytes.subarray(12, end));
  if (chunks === undefined) return undefined;
  const extended = chunks.get('VP8X');
  const frame = chunks.get('ANMF');
  if (extended === undefined) return riff(kept(chunks, pixels));
  if (frame === undefined) return riff(withNotes(extended, chunks, kept(chunks, pixels)));
  const within = frame.length < frameHeadBytes ? undefined : firstChunks(frame.subarray(frameHeadBytes));
  if (within === undefined) return undefined;
  const first = chunk('ANMF', [frame.subarray(0, frameHeadBytes), ...kept(within, pixels)]);
  return riff(withNotes(extended, chunks, [...kept(chunks, ['ANIM']), ...first]));
}

/**
 * Finds the first chunk of each name, in their order.
 * @returns undefined for a file that does not end where its chunks do
 */
function firstChunks(within: Buffer): Chunks | undefined {
  const chunks = new Map<string, Buffer>();
  let at = 0;
  for (let met = 0; at + 8 <= within.length; met++) {
    const name = within.toString('latin1', at, at + 4);
    const end = at + 8 + within.readUInt32LE(at + 4);
    if (met >= maxParts || end > within.length) return undefined;
    if (!chunks.has(name)) chunks.set(name, within.subarray(at + 8, end));
    at = end + (end % 2);
  }
  return chunks;
}

/** Builds a picture with its extended header, which names the notes, and with the plain notes. */
function withNotes(extended: Buffer, chunks: Chunks, picture: readonly Buffer[]): Buffer[] {
  const profile = chunks.get('ICCP');
  const isFollowed = profile !== undefined && isPlainProfile(profile);
  const sides = exifOf(readOrientation(chunks.get('EXIF') ?? Buffer.alloc(0)));
  const header = Buffer.from(extended);
  header[0] =
    ((header[0] ?? 0) & ~(flags.profile | flags.exif | flags.xmp)) |
    (isFollowed ? flags.profile : 0) |
    (sides === undefined ? 0 : flags.exif);
  return [
    ...chunk('VP8X', [header]),
    ...(isFollowed ? chunk('ICCP', [profile]) : []),
    ...picture,
    ...(sides === undefined ? [] : chunk('EXIF', [sides])),
  ];
}

function kept(chunks: Chunks, names: readonly string[]): Buffer[] {
  return names.flatMap((name) => {
    const data = chunks.get(name);
    return data === undefined ? [] : chunk(name, [data]);
  });
}

/** Builds a chunk. It has an even number of bytes, whatever its head says. */
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
