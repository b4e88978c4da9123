/** How much the service has stored, by kind. Folders are walked at most every ten minutes. */
import { opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { type Database, isPostgres } from '../../runtime/database/database.ts';
import type { FileArea, FileAreas } from '../../runtime/files/file-areas.ts';

/** Bytes on the disk; null is what could not be found out. */
export interface Stored {
  readonly database: number | null;
  readonly files: number | null;
  readonly pictures: number | null;
  readonly firmware: number | null;
  readonly free: number | null;
}

export interface StorageDeps extends Pick<CommonDeps, 'db' | 'clock'> {
  readonly dataFolder: string;
  /** The name of SQLite's file in the data folder. */
  readonly databaseFile: string;
  readonly freeBytes: () => Promise<number>;
  /** Where files are, unless they lie in the data folder. */
  readonly areas?: FileAreas | undefined;
}

const freshMs = 10 * 60_000;

/** Returns the meter. Several callers at once share one measurement. */
export function storageMeter(deps: StorageDeps): () => Promise<Stored> {
  let measured: { readonly at: number; readonly found: Promise<Stored> } | undefined;
  return () => {
    const age = measured === undefined ? -1 : deps.clock.now() - measured.at;
    if (measured === undefined || age < 0 || age >= freshMs) measured = { at: deps.clock.now(), found: measure(deps) };
    return measured.found;
  };
}

async function measure({ db, dataFolder, databaseFile, freeBytes, areas }: StorageDeps): Promise<Stored> {
  const folder = (area: FileArea): Promise<number | null> =>
    orNull(areas?.bytes(area) ?? bytesIn(join(dataFolder, area)));
  return {
    database: await orNull(isPostgres(db) ? postgresBytes(db) : sqliteBytes(join(dataFolder, databaseFile))),
    files: await folder('files'),
    pictures: await folder('pictures'),
    firmware: await folder('firmware'),
    free: await orNull(freeBytes()),
  };
}

const orNull = (asked: Promise<number>): Promise<number | null> => asked.catch(() => null);

async function postgresBytes(db: Database): Promise<number> {
  const { rows } = await db.raw('select pg_database_size(current_database()) as bytes');
  return Number(rows[0].bytes);
}

async function sqliteBytes(file: string): Promise<number> {
  const sizes = ['', '-wal'].map((suffix) => stat(file + suffix).then(({ size }) => size));
  const [main = Promise.resolve(0), log = Promise.resolve(0)] = sizes;
  return (await main) + (await log.catch(() => 0));
}

/** Sums up the files of a folder; one that is not there yet holds nothing. */
async function bytesIn(folder: string): Promise<number> {
  const entries = await opendir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  let bytes = 0;
  if (entries === undefined) return 0;
  for await (const entry of entries) {
    if (entry.isDirectory()) bytes += await bytesIn(join(folder, entry.name));
    // A file may be collected between the two looks.
    else
      bytes += await stat(join(folder, entry.name)).then(
        ({ size }) => size,
        () => 0,
      );
  }
  return bytes;
}
