/** Copies of SQLite's file from before an upgrade changed its tables: the way back to the former release. */
import { open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Knex } from 'knex';
import { refuse } from '../../reasons/refusals.ts';
import { errorCode } from '../error-code.ts';
import { keepFromOthers, makeFolder, syncFile, syncFolder } from './durable-file.ts';

/** How many copies stay; the oldest one goes. */
const kept = 3;
const named = /^before-\d{8}T\d{6}Z\.sqlite$/;
const mebibyte = 1024 * 1024;
/** The space that a copy leaves free, in bytes: the rows of the upgrade itself. */
const spareBytes = 64 * mebibyte;

/** Where copies lie, and what they depend on. */
export interface CopyPlace {
  /** The folder of the copies; it is made. */
  readonly folder: string;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly freeBytes: () => Promise<number>;
}

/** Returns how many bytes a copy takes at most. */
export async function bytesOfCopy(db: Knex): Promise<number> {
  const [pages, size] = [await db.raw('pragma page_count'), await db.raw('pragma page_size')];
  return Number(pages[0].page_count) * Number(size[0].page_size);
}

/**
 * Copies the database as it is now, through SQLite and onto the disk, and removes all but the newest copies.
 * @returns the path of the copy
 * @throws Refusal `bad-configuration` where the disk has no room for it
 */
export async function copyBeforeChange(db: Knex, { folder, now, freeBytes }: CopyPlace): Promise<string> {
  await makeFolder(folder);
  const [needed, free] = [(await bytesOfCopy(db)) + spareBytes, await freeBytes()];
  if (free < needed) throw noRoom(folder, needed, free);
  const name = `before-${new Date(now())
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(/[-:]/g, '')}.sqlite`;
  const [path, part] = [join(folder, name), join(folder, 'copy.part')];
  try {
    await rm(part, { force: true });
    await db.raw('vacuum into ?', [part]);
    await keepFromOthers(part, 0o600);
    const file = await open(part, 'r+');
    await syncFile(file).finally(() => file.close());
    await rename(part, path);
    await syncFolder(folder);
  } catch (error) {
    await rm(part, { force: true });
    if (errorCode(error) === 'SQLITE_FULL') throw noRoom(folder, needed, free);
    throw error;
  }
  const copies = (await readdir(folder)).filter((copy) => named.test(copy)).sort();
  for (const old of copies.slice(0, -kept)) await rm(join(folder, old));
  return path;
}

function noRoom(folder: string, needed: number, free: number): Error {
  const inMebibytes = (bytes: number): number => Math.ceil(bytes / mebibyte);
  return refuse('bad-configuration', {
    message:
      'PAPERGATE_DATA: the disk has no room for the copy of the database that is made before an upgrade: it takes ' +
      `${inMebibytes(needed)} MiB, and ${inMebibytes(free)} MiB are free`,
    hint: `make room, or move older copies out of ${folder}, and start again: nothing was changed`,
  });
}
