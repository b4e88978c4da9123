/** Checks a backup, and restores one into a folder that is not used. */
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, open, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import Sqlite from 'better-sqlite3';
import { beginRestore, endRestore, isHalfRestored } from '../../api/service/open/half-restored.ts';
import { databaseFile, freeBytesOf } from '../../api/service/open/service-context.ts';
import { restoredMark } from '../../gateway/after-restore.ts';
import { refuse } from '../../reasons/refusals.ts';
import { isoTime, systemClock } from '../../runtime/clock.ts';
import {
  keepFromOthers,
  makeFolder,
  syncFile,
  syncFolder,
  undefinedIfMissing,
} from '../../runtime/disk/durable-file.ts';
import { refusedFile } from '../../runtime/disk/refuse-file.ts';
import { errorCode } from '../../runtime/error-code.ts';
import { fileAreas } from '../../runtime/files/file-areas.ts';
import { copyIntoPostgres } from '../database/move-rows.ts';
import { holdFolder, lockFile } from '../ground/hold-folder.ts';
import { checkPrefix } from './backup-place.ts';
import { backedUpKeys } from './find-files.ts';
import { type BackupManifest, refuseDamaged } from './manifest.ts';
import { readBackup, type TakeFile } from './read-backup.ts';

/** The rows of a backup, counted. */
export type RowCounts = Readonly<Record<'organizations' | 'devices' | 'papers' | 'frames', number>>;

/** A backup that was read to its end. */
export interface CheckedBackup {
  readonly manifest: BackupManifest;
  readonly rows: RowCounts;
}

/**
 * Reads all of a backup, compares every checksum, and has SQLite examine the database. Only the database is written, to
 * the folder for temporary files.
 * @throws Refusal as `readBackup` does, and `damaged-file` for a database that SQLite finds damaged
 */
export async function checkBackup(path: string, key: string | undefined): Promise<CheckedBackup> {
  const folder = await mkdtemp(join(tmpdir(), checkPrefix)).catch((error: unknown) => {
    throw refusedFile(error, tmpdir(), 'TMPDIR') ?? error;
  });
  const database = join(folder, databaseFile);
  try {
    const manifest = await readBackup(path, key, async ({ name }, bytes) => {
      if (name === databaseFile) await pipeline(bytes, createWriteStream(database, { mode: 0o600 }));
    });
    return { manifest, rows: examineDatabase(database, path) };
  } catch (error) {
    throw refusedFile(error, folder, 'TMPDIR') ?? error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @throws Refusal `damaged-file` */
function examineDatabase(database: string, path: string): RowCounts {
  const db = new Sqlite(database, { fileMustExist: true });
  try {
    if (db.pragma('integrity_check', { simple: true }) !== 'ok') throw refuseDamaged(path, 'SQLite finds faults in it');
    const count = (table: string) => Number(db.prepare(`select count(*) from ${table}`).pluck().get());
    const [organizations, devices] = [count('organizations'), count('devices')];
    return { organizations, devices, papers: count('papers'), frames: count('frames') };
  } catch (error) {
    throw refusedDamage(error, path) ?? error;
  } finally {
    db.close();
  }
}

/** Returns the refusal where SQLite cannot work with the database that the backup holds; undefined for a full disk. */
function refusedDamage(error: unknown, path: string) {
  if (!(error instanceof Sqlite.SqliteError) || /^SQLITE_(?:FULL|IOERR)/.test(error.code)) return undefined;
  return refuseDamaged(path, `SQLite says: ${error.message}`);
}

/** The source of a restore: a backup, or the moment of an archive. */
export interface RestoreSource {
  /** Its name in refusals. */
  readonly name: string;
  /** Reads all of it; `take` is given each file, in the order of the manifest. */
  read(take?: TakeFile): Promise<BackupManifest>;
}

/** Restores a backup, as `restoreFrom` does. */
export function restoreBackup(
  path: string,
  key: string | undefined,
  into: string,
  url?: string,
): Promise<CheckedBackup> {
  return restoreFrom({ name: path, read: (take) => readBackup(path, key, take) }, into, url);
}

/**
 * Restores a service. Its source is read to its end before anything is written. A folder that is not there yet gets its name when
 * all is there and safe on the disk; one that is there and empty, as the root of a volume is, is marked while it is filled.
 * Rows that go to PostgreSQL are copied there before the mark is taken away.
 * @param into a folder that is not there, or is empty
 * @param url the address of an empty database on PostgreSQL; without it the rows are a file in the folder
 * @throws Refusal as `checkBackup` does, and `bad-configuration` for a folder or a database that is used, or a disk
 *   without room
 */
export async function restoreFrom(source: RestoreSource, into: string, url?: string): Promise<CheckedBackup> {
  const target = resolve(into);
  const isThere = await requireUnused(target);
  const { files } = await source.read();
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  try {
    if (url !== undefined) await makeFolder(target);
    if (isThere || url !== undefined) return await fillFolder(source, target, { bytes, url });
    await makeFolder(dirname(target));
    await requireRoom(dirname(target), bytes);
    return await makeWhole(source, target);
  } catch (error) {
    throw refusedFile(error, target) ?? error;
  }
}

async function requireRoom(folder: string, bytes: number): Promise<void> {
  if ((await freeBytesOf(folder)) >= bytes) return;
  throw refuse('bad-configuration', {
    message: `${folder}: the disk is full: the backup needs ${Math.ceil(bytes / 1024 / 1024)} MiB`,
    hint: 'make room on it, or name a folder on another disk',
  });
}

/** Writes a folder next to its place, and gives it its name. */
async function makeWhole(source: RestoreSource, target: string): Promise<CheckedBackup> {
  const aside = await mkdtemp(join(dirname(target), `.${basename(target)}.restoring-`));
  try {
    const restored = await writeFolder(source, aside);
    await rename(aside, target);
    await syncFolder(dirname(target));
    return restored;
  } catch (error) {
    const code = errorCode(error);
    throw code === 'ENOTEMPTY' || code === 'EEXIST' ? refuseUsed(target) : error;
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}

/** Fills a folder that is there. Remains of a killed restore are removed first; where this one fails, nothing stays. */
async function fillFolder(
  source: RestoreSource,
  target: string,
  { bytes, url }: { readonly bytes: number; readonly url: string | undefined },
): Promise<CheckedBackup> {
  const release = await holdFolder(target);
  try {
    if (isHalfRestored(target)) await removeRestored(target);
    await requireRoom(target, bytes);
    await beginRestore(target);
    const restored = await writeFolder(source, target);
    if (url !== undefined) {
      await copyIntoPostgres(join(target, databaseFile), url);
      await rm(join(target, databaseFile));
    }
    // Some volumes belong to somebody else: there `papergate doctor` reports who may look into it.
    await keepFromOthers(target, 0o700);
    await endRestore(target);
    return restored;
  } catch (error) {
    if (isHalfRestored(target)) {
      await removeRestored(target);
      await endRestore(target);
    }
    await rm(join(target, lockFile), { force: true });
    throw error;
  } finally {
    release();
  }
}

/** Removes what a restore writes, and nothing else. */
async function removeRestored(folder: string): Promise<void> {
  const rows = ['', '-journal', '-wal', '-shm'].map((suffix) => databaseFile + suffix);
  for (const name of [...rows, ...backedUpKeys, ...fileAreas, 'authority']) {
    await rm(join(folder, name), { recursive: true, force: true });
  }
}

async function writeFolder(source: RestoreSource, folder: string): Promise<CheckedBackup> {
  const subfolders = [...fileAreas, 'authority'];
  for (const name of subfolders) await mkdir(join(folder, name), { mode: 0o700 });
  const manifest = await source.read(({ name }, bytes) => writeDurably(join(folder, name), bytes));
  const hasAuthority = manifest.files.some(({ name }) => name.startsWith('authority/'));
  if (!hasAuthority) await rm(join(folder, 'authority'), { recursive: true });
  const rows = examineDatabase(join(folder, databaseFile), source.name);
  markAsRestored(join(folder, databaseFile), source.name);
  for (const name of subfolders) await syncFolder(join(folder, name)).catch(undefinedIfMissing);
  await syncFolder(folder);
  return { manifest, rows };
}

/** Writes a new file. Each part is on its way to the disk before the next is read, so that a full disk ends it at once. */
async function writeDurably(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    for await (const part of bytes) await file.writeFile(part);
    await syncFile(file);
  } finally {
    await file.close();
  }
}

/** Has the first start over the rows raise the versions of frames, and forget what they reported (INV-91). */
function markAsRestored(database: string, path: string): void {
  const db = new Sqlite(database, { fileMustExist: true });
  try {
    db.pragma('synchronous = full');
    db.prepare(restoredMark).run(isoTime(systemClock.now()));
  } catch (error) {
    throw refusedDamage(error, path) ?? error;
  } finally {
    db.close();
  }
}

/**
 * Refuses a folder that holds something. A file system's own folder is nothing, nor is what a killed restore left.
 * @returns whether the folder is there
 */
async function requireUnused(target: string): Promise<boolean> {
  const entries = await readdir(target).catch((error: unknown) => undefinedUnlessWrong(error, target));
  const isUsed = entries?.some((name) => name !== 'lost+found') === true;
  if (isUsed && !isHalfRestored(target)) throw refuseUsed(target);
  return entries !== undefined;
}

function undefinedUnlessWrong(error: unknown, target: string): undefined {
  if (errorCode(error) === 'ENOENT') return undefined;
  throw refusedFile(error, target) ?? error;
}

function refuseUsed(target: string) {
  return refuse('bad-configuration', {
    message: `${target} is not empty`,
    hint: 'name a folder that is not there yet; to replace a data folder, stop its service and move it away first',
  });
}
