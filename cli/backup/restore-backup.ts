/** Checks a backup, and restores one into a folder that is not used. */
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import Sqlite from 'better-sqlite3';
import { databaseFile, freeBytesOf } from '../../api/service-context.ts';
import { restoredMark } from '../../gateway/after-restore.ts';
import { isoTime, systemClock } from '../../runtime/clock.ts';
import { makeFolder, syncFolder, undefinedIfMissing } from '../../runtime/durable-file.ts';
import { fileAreas } from '../../runtime/files/file-areas.ts';
import { refuse } from '../../runtime/refusals.ts';
import { refusedFile } from '../../runtime/refuse-file.ts';
import { type BackupManifest, refuseDamaged } from './manifest.ts';
import { readBackup } from './read-backup.ts';

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
  const folder = await mkdtemp(join(tmpdir(), 'papergate-backup-')).catch((error: unknown) => {
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
    return {
      organizations: count('organizations'),
      devices: count('devices'),
      papers: count('papers'),
      frames: count('frames'),
    };
  } catch (error) {
    if (error instanceof Sqlite.SqliteError) throw refuseDamaged(path, `SQLite says: ${error.message}`);
    throw error;
  } finally {
    db.close();
  }
}

/**
 * Restores a backup. It is read to its end before anything is written, and written beside the folder, which gets its
 * name when all is there and safe on the disk.
 * @param into a folder that is not there, or is empty
 * @throws Refusal as `checkBackup` does, and `bad-configuration` for a folder that is used or a disk without room
 */
export async function restoreBackup(path: string, key: string | undefined, into: string): Promise<CheckedBackup> {
  const target = resolve(into);
  await requireUnused(target);
  const { files } = await readBackup(path, key);
  await makeFolder(dirname(target)).catch((error: unknown) => {
    throw refusedFile(error, dirname(target)) ?? error;
  });
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if ((await freeBytesOf(dirname(target))) < bytes) {
    throw refuse('bad-configuration', {
      message: `${target}: the disk is full: the backup needs ${Math.ceil(bytes / 1024 / 1024)} MiB`,
      hint: 'make room on it, or name a folder on another disk',
    });
  }
  let aside: string | undefined;
  try {
    aside = await mkdtemp(join(dirname(target), `.${basename(target)}.restoring-`));
    const restored = await writeFolder(path, key, aside);
    await rename(aside, target);
    await syncFolder(dirname(target));
    return restored;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code === 'ENOTEMPTY' || code === 'EEXIST') throw refuseUsed(target);
    if (code === 'EBUSY' || code === 'EXDEV') throw refuseMounted(target);
    throw refusedFile(error, target) ?? error;
  } finally {
    if (aside !== undefined) await rm(aside, { recursive: true, force: true });
  }
}

async function writeFolder(path: string, key: string | undefined, folder: string): Promise<CheckedBackup> {
  const subfolders = [...fileAreas, 'authority'];
  for (const name of subfolders) await mkdir(join(folder, name), { mode: 0o700 });
  const manifest = await readBackup(path, key, ({ name }, bytes) =>
    pipeline(bytes, createWriteStream(join(folder, name), { mode: 0o600, flags: 'wx', flush: true })),
  );
  const hasAuthority = manifest.files.some(({ name }) => name.startsWith('authority/'));
  if (!hasAuthority) await rm(join(folder, 'authority'), { recursive: true });
  const rows = examineDatabase(join(folder, databaseFile), path);
  markAsRestored(join(folder, databaseFile));
  for (const name of subfolders) await syncFolder(join(folder, name)).catch(undefinedIfMissing);
  await syncFolder(folder);
  return { manifest, rows };
}

/** Has the first start over the rows raise the versions of frames, and forget what they said (INV-91). */
function markAsRestored(database: string): void {
  const db = new Sqlite(database, { fileMustExist: true });
  try {
    db.prepare(restoredMark).run(isoTime(systemClock.now()));
  } finally {
    db.close();
  }
}

async function requireUnused(target: string): Promise<void> {
  const entries = await readdir(target).catch((error: unknown) => {
    undefinedUnlessWrong(error, target);
    return [];
  });
  if (entries.length > 0) throw refuseUsed(target);
}

function undefinedUnlessWrong(error: unknown, target: string): void {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
  throw refusedFile(error, target) ?? error;
}

function refuseUsed(target: string) {
  return refuse('bad-configuration', {
    message: `${target} is not empty`,
    hint: 'name a folder that is not there yet; to replace a data folder, stop its service and move it away first',
  });
}

function refuseMounted(target: string) {
  return refuse('bad-configuration', {
    message: `${target} is the root of a disk, which cannot get the name of a restored folder`,
    hint: 'name a folder within it, and set PAPERGATE_DATA to that',
  });
}
