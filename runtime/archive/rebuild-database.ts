/** Puts the database of a moment together: a copy, and the pages of every segment after it, in their order. */
import { type FileHandle, open } from 'node:fs/promises';
import { z } from 'zod';
import { sha256Of } from '../digest.ts';
import { syncFile } from '../disk/durable-file.ts';
import type { WayTo } from './archive-moments.ts';
import { ArchiveFault, type ArchivePlace } from './archive-place.ts';
import type { ArchiveSeal } from './archive-seal.ts';
import { type BaseHead, baseHead, segmentHead, unpackObject } from './archive-segment.ts';

/** A rebuilt database, and all that belongs to its rows. */
export interface Rebuilt {
  readonly head: BaseHead;
  /** Keys and the authority as they were then, by name, in base64. */
  readonly keys: Readonly<Record<string, string>>;
}

/** An archive that is read. */
export interface OpenedArchive {
  readonly place: ArchivePlace;
  readonly seal: ArchiveSeal;
}

/**
 * Writes the database of a moment into a new file.
 * @throws ArchiveFault for an object that is missing, or not what was written
 */
export async function rebuildDatabase(archive: OpenedArchive, { base, segments }: WayTo, to: string): Promise<Rebuilt> {
  const { head } = await readObject(archive, base, baseHead);
  const file = await open(to, 'wx', 0o600);
  try {
    let at = 0;
    for (const part of head.parts) {
      const { bytes } = await readObject(archive, part, z.object({}));
      await file.write(bytes, 0, bytes.length, at);
      at += bytes.length;
    }
    if (at !== head.bytes) throw damaged(base.name);
    const keys = await applySegments(archive, { segments, previous: head.previous }, file);
    await syncFile(file);
    return { head, keys: keys ?? head.keys };
  } finally {
    await file.close();
  }
}

async function applySegments(
  archive: OpenedArchive,
  { segments, previous: first }: Pick<WayTo, 'segments'> & { readonly previous: string },
  file: FileHandle,
): Promise<Rebuilt['keys'] | undefined> {
  let [previous, keys]: [string, Rebuilt['keys'] | undefined] = [first, undefined];
  for (const segment of segments) {
    const { head, bytes } = await readObject(archive, segment, segmentHead);
    const { pageSize, pages, size } = head;
    const isNext = head.previous === previous && head.number === segment.number && head.chain === segment.chain;
    if (!isNext || bytes.length !== pages.length * pageSize) throw damaged(segment.name);
    for (const [at, page] of pages.entries()) {
      if (page <= size) await file.write(bytes, at * pageSize, pageSize, (page - 1) * pageSize);
    }
    if (size > 0) await file.truncate(size * pageSize);
    previous = segment.digest;
    keys = head.keys ?? keys;
  }
  return keys;
}

async function readObject<Head>(
  { place, seal }: OpenedArchive,
  { name, digest }: { readonly name: string; readonly digest: string },
  schema: z.ZodType<Head>,
): Promise<{ readonly head: Head; readonly bytes: Buffer }> {
  const stored = await place.get(name);
  if (stored === undefined || (await sha256Of(stored)) !== digest) throw damaged(name);
  return unpackObject(seal, schema, { name, stored });
}

/** Reads what a base lists. */
export const readBase = async (
  archive: OpenedArchive,
  base: { readonly name: string; readonly digest: string },
): Promise<BaseHead> => (await readObject(archive, base, baseHead)).head;

function damaged(name: string): ArchiveFault {
  return new ArchiveFault(
    `${name} in the archive is missing or damaged`,
    'restore to a moment before it, or from a backup: papergate backup list shows what can be had',
  );
}
