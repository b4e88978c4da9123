/**
 * Plain SQL for the statements of every wake and every submission, where building a query and waiting for a connection
 * cost several times as much as the statement. On SQLite a statement runs at once, unless somebody else's transaction
 * has the connection.
 */
import type { Knex } from 'knex';
import { runAtOnce } from './prepared-sqlite.ts';

type Bindings = readonly (string | number | null)[];

/** A part of a statement: SQL that stands in the code, and the values that it binds. */
export interface SqlPart {
  readonly sql: string;
  readonly bindings: Bindings;
}

async function runInTurn(db: Knex, sql: string, bindings: Bindings): Promise<readonly unknown[]> {
  const found = (await db.raw(sql, bindings as string[])) as unknown[] | { rows?: unknown[] };
  return Array.isArray(found) ? found : (found.rows ?? []);
}

/** Returns every row that a select finds. */
export async function allRows<Row>(db: Knex, sql: string, bindings: Bindings): Promise<readonly Row[]> {
  return (runAtOnce(db, sql, bindings) ?? (await runInTurn(db, sql, bindings))) as readonly Row[];
}

/** Returns the first row that a select finds. */
export async function firstRow<Row>(db: Knex, sql: string, bindings: Bindings): Promise<Row | undefined> {
  return (runAtOnce(db, sql, bindings, 'first') ?? (await runInTurn(db, sql, bindings)))[0] as Row | undefined;
}

/** Runs a statement that changes rows. */
export async function changeRows(db: Knex, sql: string, bindings: Bindings): Promise<void> {
  if (runAtOnce(db, sql, bindings) === undefined) await runInTurn(db, sql, bindings);
}

/** Inserts a row, whose keys are columns. `more` may add the handling of a conflict. */
export function insertRow(
  db: Knex,
  table: string,
  row: Readonly<Record<string, Bindings[number]>>,
  more = '',
): Promise<void> {
  const columns = Object.keys(row);
  const sql = `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')}) ${more}`;
  return changeRows(db, sql, Object.values(row));
}

/** Joins parts of a statement with the same words between them. */
export const joinParts = (parts: readonly SqlPart[], between: string): SqlPart => ({
  sql: parts.map(({ sql }) => sql).join(between),
  bindings: parts.flatMap(({ bindings }) => bindings),
});

/** Returns `a = ?, b = ?` for these columns, whose names stand in the code and never come from outside. */
export const assigned = (columns: readonly string[]): string => columns.map((name) => `${name} = ?`).join(', ');
