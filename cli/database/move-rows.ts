/** Moves the rows of a stopped service from SQLite to an empty database on PostgreSQL. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { markAsMoved, movedTo, requireNotMoved } from '../../api/service/open/moved-rows.ts';
import { refusedDatabase } from '../../api/service/open/refuse-start.ts';
import { databaseFile } from '../../api/service/open/service-context.ts';
import { tables } from '../../api/service/open/service-tables.ts';
import type { Settings } from '../../api/service/settings/settings.ts';
import { type Refusal, refuse } from '../../reasons/refusals.ts';
import { type Database, type Migration, openDatabase } from '../../runtime/database/database.ts';
import { patientLimits } from '../../runtime/database/database-limits.ts';
import { bringIn } from '../../runtime/database/migration.ts';
import { factMigrations, readFact, settleFact } from '../../runtime/database/service-facts.ts';
import { copyRows, factsInSource, finishCopy } from '../../runtime/moving/copy-rows.ts';
import { openSourceRows, type SourceRows } from '../../runtime/moving/source-rows.ts';

/** Reports how far a move came: a sentence for people, the same as fields for programs. */
export type Tell = (sentence: string, fields: Readonly<Record<string, unknown>>) => void;

/**
 * Copies every row and compares it.
 * @param lost returns why this process may no longer write the database
 * @throws a refusal without an address, without rows, for rows of another version, or for a database that holds others
 */
export async function moveRows(settings: Settings, tell: Tell, lost: () => Refusal | undefined): Promise<void> {
  const { PAPERGATE_DATA: folder, DATABASE_URL: url } = settings;
  const file = join(folder, databaseFile);
  if (url === undefined) {
    throw refuse('bad-configuration', {
      message: 'DATABASE_URL: is not set',
      hint: 'set it to an empty database on PostgreSQL; the rows of PAPERGATE_DATA are moved there',
    });
  }
  if (!existsSync(file)) {
    throw refuse('bad-configuration', { message: `PAPERGATE_DATA: there is no ${file} to move` });
  }
  const source = openSourceRows(file);
  try {
    requirePresent(source, file);
    const isNew = await beginMove(url, factsInSource(source).get('id') ?? '');
    if (isNew) tell(`the rows go to ${withoutPassword(url)}`, { event: 'begun' });
    const target = await openDatabase({ url }, tables, { limits: patientLimits });
    try {
      if (await wasMoved(folder, source, target)) {
        tell('the rows were moved before', { event: 'moved before' });
        return;
      }
      // Rows that went to another database have changed there since.
      if ((await readFact(target, 'moving')) !== factsInSource(source).get('id')) await requireNotMoved(folder);
      const told = (table: string, rows: number): void =>
        tell(`${table}: ${rows} rows`, { event: 'copied', table, rows });
      const rows = await copyRows({ source, target, told });
      const problem = lost();
      if (problem !== undefined) throw problem;
      // From here on neither is served from until the copy is declared whole.
      await markAsMoved(folder, withoutPassword(url));
      await finishCopy({ source, target });
      tell(`${rows} rows were copied, and every one compared; start the service with DATABASE_URL`, {
        event: 'moved',
        rows,
      });
    } finally {
      await target.destroy();
    }
  } finally {
    source.close();
  }
}

/**
 * Copies the rows of a file, which may be of an earlier version, into an empty database, and compares every one.
 * @throws Refusal `bad-configuration` for a database that holds something
 */
export async function copyIntoPostgres(file: string, url: string): Promise<void> {
  await (await openDatabase({ file }, tables)).destroy();
  const source = openSourceRows(file);
  try {
    await beginMove(url, factsInSource(source).get('id') ?? '');
    const target = await openDatabase({ url }, tables, { limits: patientLimits }).catch((error: unknown) => {
      throw refusedDatabase(error) ?? error;
    });
    try {
      await copyRows({ source, target, told: () => {} });
      await finishCopy({ source, target });
    } finally {
      await target.destroy();
    }
  } finally {
    source.close();
  }
}

/**
 * Marks a database without any tables as one into which rows are moved, in the transaction of its first tables: whatever
 * ends the move, no service is founded over it.
 * @returns false for a database that has tables
 */
async function beginMove(url: string, id: string): Promise<boolean> {
  const target = await openDatabase({ url }, markedFacts(id), {
    limits: patientLimits,
    mayMigrate: requireEmpty,
  }).catch((error: unknown) => {
    if (error instanceof HasTables) return undefined;
    throw error;
  });
  await target?.destroy();
  return target !== undefined;
}

/** Returns the tables of facts, the last of which is created together with the mark. */
function markedFacts(id: string): readonly Migration[] {
  return factMigrations.map((made, at) => ({
    ...made,
    async up(db) {
      await bringIn(db, made);
      if (at === factMigrations.length - 1) await settleFact(db, 'moving', id);
    },
  }));
}

/**
 * Thrown where the database has tables: rows are copied only into an empty one, and the caller examines its contents.
 */
class HasTables extends Error {}

async function requireEmpty(db: Database): Promise<void> {
  if (await db.schema.hasTable('migrations')) throw new HasTables();
}

/** Refuses rows of another version: this version reads the copied rows. */
function requirePresent(source: SourceRows, file: string): void {
  const known = tables.map(({ name }) => name);
  if (source.migrations.some((name) => !known.includes(name))) throw refuse('newer-database');
  if (known.every((name) => source.migrations.includes(name)) && factsInSource(source).has('id')) return;
  throw refuse('bad-configuration', {
    message: `PAPERGATE_DATA: ${file} is one of an earlier version`,
    hint: 'start papergate serve of this version over it once, without DATABASE_URL, end it, and move then',
  });
}

async function wasMoved(folder: string, source: SourceRows, target: Database): Promise<boolean> {
  const isMarked = (await movedTo(folder)) !== undefined;
  const isWhole = (await readFact(target, 'moving')) === undefined;
  return isMarked && isWhole && (await readFact(target, 'id')) === factsInSource(source).get('id');
}

function withoutPassword(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}
