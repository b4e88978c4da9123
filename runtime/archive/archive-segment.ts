/** The content of objects of an archive: one line of JSON with its length before it, and bytes. Both are compressed. */
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { z } from 'zod';
import { ArchiveFault } from './archive-place.ts';
import type { ArchiveSeal } from './archive-seal.ts';

const zip = promisify(gzip);
const unzip = promisify(gunzip);
const lengthBytes = 4;
const maxBytes = 256 * 1024 * 1024;

/** Small files that change: keys and the authority, by their names, in base64. */
const keys = z.record(z.string().max(200), z.string());

/** The head of a segment. */
export const segmentHead = z.object({
  format: z.literal(1),
  chain: z.string(),
  number: z.number().int(),
  /** The digest of the segment before it; empty for the first of a chain. */
  previous: z.string(),
  pageSize: z.number().int(),
  /** The size of the database after it, in pages; 0 where nothing was written. */
  size: z.number().int(),
  pages: z.array(z.number().int().positive()),
  /** Where they changed. */
  keys: keys.optional(),
});
export type SegmentHead = z.output<typeof segmentHead>;

/** The head of a base. */
export const baseHead = z.object({
  format: z.literal(1),
  /** The version of papergate that wrote it. */
  version: z.string().max(100),
  filesIn: z.enum(['folder', 's3']),
  /** Bytes of the database. */
  bytes: z.number().int(),
  /** The digest of the segment that it stands at the end of; empty at the beginning of a chain. */
  previous: z.string(),
  parts: z.array(z.object({ name: z.string(), digest: z.string() })),
  files: z.array(z.string().regex(/^(?:files|pictures|firmware)\/[0-9a-f]{64}$/)),
  keys,
});
export type BaseHead = z.output<typeof baseHead>;

/** Puts an object together. */
export async function packObject(seal: ArchiveSeal, head: object, bytes: readonly Uint8Array[]): Promise<Uint8Array> {
  const text = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32BE(text.length);
  return seal.close(await zip(Buffer.concat([length, text, ...bytes]), { level: 3 }));
}

/**
 * Takes an object apart.
 * @throws ArchiveFault for one that is not what was written
 */
export async function unpackObject<Head>(
  seal: ArchiveSeal,
  schema: z.ZodType<Head>,
  { name, stored }: { readonly name: string; readonly stored: Uint8Array },
): Promise<{ readonly head: Head; readonly bytes: Buffer }> {
  try {
    const plain = await unzip(await seal.open(stored), { maxOutputLength: maxBytes });
    const from = lengthBytes + plain.readUInt32BE(0);
    return { head: schema.parse(JSON.parse(plain.toString('utf8', lengthBytes, from))), bytes: plain.subarray(from) };
  } catch {
    throw new ArchiveFault(`${name} in the archive is damaged`, 'restore to a moment before it, or from a backup');
  }
}
