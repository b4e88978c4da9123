/** Copies the rows of PostgreSQL, as they are at one moment, into a file of SQLite that has the same tables. */
import Sqlite from 'better-sqlite3';
import type { Database, Transaction } from '../database/database.ts';
import { openSourceRows, type SourceTable } from './source-rows.ts';

/** The number of rows that are fetched at once. */
const batch = 200;

/**
 * Copies every row.
 * @param file a file of SQLite with the tables of this version; rows that it has are replaced
 */
export async function copySnapshot(source: Database, file: string): Promise<void> {
  const described = openSourceRows(file);
  const tables = described.tables;
  described.close();
  const target = new Sqlite(file, { fileMustExist: true });
  try {
    // A row may refer to one of its own table that comes later.
    target.pragma('foreign_keys = off');
    target.exec('begin');
    const copyAll = async (trx: Transaction): Promise<void> => {
      for (const table of tables) await copyTable(trx, target, table);
    };
    await source.transaction(copyAll, { isolationLevel: 'repeatable read', readOnly: true });
    target.exec('commit');
    const stray = target.pragma('foreign_key_check') as unknown[];
    if (stray.length > 0) throw new Error(`${stray.length} rows of the copy refer to none`);
  } finally {
    target.close();
  }
}

async function copyTable(trx: Transaction, target: Sqlite.Database, { name, columns }: SourceTable): Promise<void> {
  target.exec(`delete from "${name}"`);
  const listed = columns.map((column) => `"${column}"`).join(', ');
  const insert = target.prepare(`insert into "${name}" (${listed}) values (${columns.map(() => '?').join(', ')})`);
  await trx.raw(`declare copied no scroll cursor for select ${listed} from "${name}"`);
  for (;;) {
    const { rows }: { rows: Record<string, unknown>[] } = await trx.raw(`fetch ${batch} from copied`);
    for (const row of rows) insert.run(...columns.map((column) => row[column]));
    if (rows.length < batch) break;
  }
  await trx.raw('close copied');
}
