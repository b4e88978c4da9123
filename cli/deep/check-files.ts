/** Looks whether every file that a row names is there (INV-03), and on request whether it has the bytes of its name (T-67). */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { references } from '../../api/files/collect-files.ts';
import { undefinedIfMissing } from '../../runtime/disk/durable-file.ts';
import { storedName } from '../../runtime/disk/durable-folder.ts';
import { errorCode } from '../../runtime/error-code.ts';
import { type FileArea, fileAreas } from '../../runtime/files/file-areas.ts';
import type { Bucket } from '../../runtime/files/s3-client.ts';
import type { RowReader } from './invariant.ts';

/** Where files are. */
export type FilePlace =
  | { readonly home: 'folder'; readonly folderOf: (area: FileArea) => string }
  | { readonly home: 'database' }
  | { readonly home: 's3'; readonly bucket: Bucket; readonly prefix: string };

/** The problems of files: their areas and digests. */
export interface FilesFound {
  readonly named: number;
  readonly missing: readonly string[];
  /** Files that were read whole; none unless it was asked for. */
  readonly read: number;
  readonly damaged: readonly string[];
  /** The last file that was read, as area and digest, where the time was over before all were. */
  readonly next?: string;
}

/** The files that are read: none, all, or those after one of them until the time is over. */
export interface FileReading {
  readonly read: boolean;
  readonly tell?: TellProgress;
  /** An area and a digest. */
  readonly after?: string | undefined;
  readonly isOver?: () => boolean;
}

/** Called after each file that was read: how many there are, and how many were read. */
export type TellProgress = (read: number, all: number) => void;

const maxObjectBytes = 64 * 1024 * 1024;

/** The query for what rows name. A picture that is to be made again is known to be missing (T-67). */
const namedSql: Readonly<Record<FileArea, string>> = {
  files: references
    .map(([table, column]) => `select ${column} as name from ${table} where ${column} is not null`)
    .join(' union '),
  pictures: 'select distinct picture_sha256 as name from uploads where replaced_at is null and remake_at is null',
  firmware: 'select sha256 as name from firmware_images',
};

/** Where the bytes of each present file are, by its digest: a path, a key of the bucket, or the digest. */
type Present = ReadonlyMap<string, string>;

/**
 * Compares the files that rows name with those that exist. Missing ones are looked for twice: a row may have gone
 * meanwhile.
 */
export async function checkStored(
  rows: RowReader,
  place: FilePlace,
  { read, tell = () => {}, after = '', isOver = () => false }: FileReading,
): Promise<FilesFound> {
  const missing: string[] = [];
  const toRead: { readonly area: FileArea; readonly name: string; readonly at: string }[] = [];
  let named = 0;
  for (const area of fileAreas) {
    const first = await lookAt(rows, place, area);
    named += first.named.length;
    const lacking = first.named.filter((name) => !first.present.has(name));
    const again = lacking.length === 0 ? undefined : await lookAt(rows, place, area);
    const stillNamed = new Set(again?.named);
    for (const name of lacking) {
      if (stillNamed.has(name) && again?.present.has(name) === false) missing.push(`${area}/${name}`);
    }
    // Pictures of the past are read, too, although they may be cleared away at any time.
    for (const [name, at] of first.present) toRead.push({ area, name, at });
  }
  const waiting = read ? inNameOrder(toRead).filter(({ area, name }) => `${area}/${name}` > after) : [];
  const damaged: string[] = [];
  let done = 0;
  let last = after;
  for (const { area, name, at } of waiting) {
    if (isOver()) return { named, missing, read: done, damaged, next: last };
    const digest = await digestOf(rows, place, { area, at });
    last = `${area}/${name}`;
    // A file that is gone by now was removed by the service, since no row names it any longer; the next run would
    // report it.
    if (digest !== undefined && digest !== name) damaged.push(last);
    tell(++done, waiting.length);
  }
  return { named, missing, read: done, damaged };
}

const inNameOrder = <Item extends { readonly area: FileArea; readonly name: string }>(files: readonly Item[]): Item[] =>
  files.toSorted((a, b) => (`${a.area}/${a.name}` < `${b.area}/${b.name}` ? -1 : 1));

async function lookAt(
  rows: RowReader,
  place: FilePlace,
  area: FileArea,
): Promise<{ readonly named: readonly string[]; readonly present: Present }> {
  // Rows are read first: a file is stored before the row that names it.
  const named = (await rows.all<{ name: string }>(namedSql[area])).map(({ name }) => name);
  return { named, present: await presentIn(rows, place, area) };
}

async function presentIn(rows: RowReader, place: FilePlace, area: FileArea): Promise<Present> {
  switch (place.home) {
    case 'folder': {
      const folder = place.folderOf(area);
      const entries = (await readdir(folder).catch(undefinedIfMissing)) ?? [];
      return new Map(entries.flatMap((entry) => pairOf(storedName(entry), join(folder, entry))));
    }
    case 'database': {
      const stored = await rows.all<{ name: string }>(`select name from stored_files where area = '${area}'`);
      return new Map(stored.map(({ name }) => [name, name]));
    }
    case 's3': {
      const sql = `select name, object from stored_objects where area = '${area}'`;
      const stored = await rows.all<{ name: string; object: string }>(sql);
      // Files that no row names are not kept in memory, however many are listed.
      const nameOf = new Map(stored.map(({ name, object }) => [object, name]));
      const present = new Map<string, string>();
      for await (const { key } of place.bucket.list(`${place.prefix}${area}/`)) {
        const name = nameOf.get(key);
        if (name !== undefined) present.set(name, key);
      }
      return present;
    }
  }
}

const pairOf = (name: string | undefined, at: string): [string, string][] => (name === undefined ? [] : [[name, at]]);

async function digestOf(
  rows: RowReader,
  place: FilePlace,
  { area, at }: { readonly area: FileArea; readonly at: string },
): Promise<string | undefined> {
  const hash = createHash('sha256');
  if (place.home === 'folder') {
    try {
      for await (const part of createReadStream(at)) hash.update(part);
    } catch (error) {
      // A sector that cannot be read is damage.
      if (errorCode(error) === 'EIO') return 'unreadable';
      return undefinedIfMissing(error as Error);
    }
    return hash.digest('hex');
  }
  const sql = `select bytes from stored_files where area = '${area}' and name = '${at}'`;
  const bytes =
    place.home === 's3'
      ? await place.bucket.get(at, maxObjectBytes)
      : (await rows.all<{ bytes: Buffer }>(sql))[0]?.bytes;
  return bytes === undefined ? undefined : hash.update(bytes).digest('hex');
}
