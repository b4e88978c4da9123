/** Copies the rows of a service into a file of SQLite, whichever database they are in; the service may go on meanwhile. */
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { refusedDatabase } from '../../api/service/open/refuse-start.ts';
import { databaseFile, freeBytesOf } from '../../api/service/open/service-context.ts';
import { tables } from '../../api/service/open/service-tables.ts';
import { refuse } from '../../reasons/refusals.ts';
import { type Database, openDatabase } from '../../runtime/database/database.ts';
import { patientLimits } from '../../runtime/database/database-limits.ts';
import { refusedFile } from '../../runtime/disk/refuse-file.ts';
import { errorCode } from '../../runtime/error-code.ts';
import { copySnapshot } from '../../runtime/moving/copy-snapshot.ts';

/** Left free for the rows of a service that runs, while a copy of the database lies next to it. */
const spareBytes = 64 * 1024 * 1024;

/** Copies the database through SQLite, in one step: a copy in portions begins again whenever the service writes. */
export async function copySqlite(dataFolder: string, copy: string): Promise<void> {
  const file = join(dataFolder, databaseFile);
  await requireRoomForCopy(dataFolder, (await stat(file)).size);
  await writeFile(copy, '', { mode: 0o600, flag: 'wx' });
  const db = new Sqlite(file, { fileMustExist: true, timeout: 10_000 });
  try {
    await db.backup(copy, { progress: () => 0x7fff_ffff });
  } catch (error) {
    throw refusedRows(error) ?? refusedFile(error, copy) ?? error;
  } finally {
    db.close();
  }
}

/** Returns the refusal where SQLite cannot read the database that is backed up; undefined for every other error. */
export function refusedRows(error: unknown) {
  if (!/^SQLITE_(?:CORRUPT|NOTADB)/.test(errorCode(error))) return undefined;
  return refuse('damaged-file', {
    message: `${databaseFile} is damaged, and no backup was made`,
    hint: 'papergate doctor --deep says what to do',
  });
}

/** Copies the rows of PostgreSQL in one transaction, which sees one moment and holds nobody up. */
export async function copyPostgres(url: string, dataFolder: string, copy: string): Promise<void> {
  const source = await openPresent(url);
  try {
    const sized = await source.raw('select pg_database_size(current_database()) as size');
    await requireRoomForCopy(dataFolder, Number(sized.rows[0].size));
    await writeFile(copy, '', { mode: 0o600, flag: 'wx' });
    await (await openDatabase({ file: copy }, tables)).destroy();
    await copySnapshot(source, copy);
  } catch (error) {
    throw refusedFile(error, copy) ?? error;
  } finally {
    await source.destroy();
  }
}

/** Opens rows of this very version; a backup changes no table. */
async function openPresent(url: string): Promise<Database> {
  const other = (message: string, hint: string) => (): never => {
    throw refuse('bad-configuration', { message: `DATABASE_URL: ${message}`, hint });
  };
  return openDatabase({ url }, tables, {
    limits: patientLimits,
    mayFound: other('the database is empty', 'correct it: there is nothing to back up'),
    beforeChange: async () =>
      other('the database is one of an earlier version', 'make the backup with the version that serves it')(),
  }).catch((error: unknown) => {
    throw refusedDatabase(error) ?? error;
  });
}

async function requireRoomForCopy(folder: string, bytes: number): Promise<void> {
  if ((await freeBytesOf(folder)) >= bytes + spareBytes) return;
  throw refuse('bad-configuration', {
    message: `${folder}: the disk is full: a backup needs room for a copy of the database`,
    hint: 'make room on it',
  });
}
