/** Rows that were moved to another database: the file that they left is marked, and nobody serves from it unasked. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { refuse } from '../../../reasons/refusals.ts';
import type { Database } from '../../../runtime/database/database.ts';
import { readFact } from '../../../runtime/database/service-facts.ts';
import { replaceFile, undefinedIfMissing } from '../../../runtime/disk/durable-file.ts';

/** The mark next to SQLite's file in a data folder. */
export const movedFile = 'papergate.sqlite.moved';

/** Marks the rows of a data folder as moved; `to` names the database without its password. */
export async function markAsMoved(dataFolder: string, to: string): Promise<void> {
  await replaceFile(join(dataFolder, movedFile), `${to}\n`);
}

/** Returns where the rows of a data folder went. */
export async function movedTo(dataFolder: string): Promise<string | undefined> {
  return (await readFile(join(dataFolder, movedFile), 'utf8').catch(undefinedIfMissing))?.trim();
}

/** @throws Refusal `bad-configuration` for rows that were moved */
export async function requireNotMoved(dataFolder: string): Promise<void> {
  const to = await movedTo(dataFolder);
  if (to === undefined) return;
  throw refuse('bad-configuration', {
    message: `PAPERGATE_DATA: the rows of ${dataFolder} were moved to PostgreSQL (${to})`,
    hint: `set DATABASE_URL; to go back to the rows as they were then, remove ${join(dataFolder, movedFile)}`,
  });
}

/** @throws Refusal `bad-configuration` for a database into which rows are being moved */
export async function requireWhole(db: Database): Promise<void> {
  if ((await readFact(db, 'moving')) === undefined) return;
  throw refuse('bad-configuration', {
    message: 'DATABASE_URL: rows were being moved into this database, and are not all there',
    hint: 'papergate migrate --to postgres goes on with it; to begin again, empty the database',
  });
}
