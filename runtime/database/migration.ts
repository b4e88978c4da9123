/** A change of the tables, and on which of the two databases it is made. */
import type { Knex } from 'knex';
import type { Table } from './table.ts';

/**
 * Whether a release of the schema before can go on working alongside a change: `expand` adds what that release does not
 * look at, `contract` removes what it works with, or relies on something that it does not keep.
 */
export type MigrationKind = 'expand' | 'contract';

/** The creation or a change of one subject's tables. Names are never reused; the migrations of a schema run in the order of their list. */
export interface Migration {
  readonly name: string;
  /** `expand` unless given. */
  readonly kind?: MigrationKind;
  /** The number of the schema that it belongs to, 1 unless given. Each release with migrations makes the next one. */
  readonly schema?: number;
  /**
   * Has PostgreSQL run it outside of a transaction, for indexes that are made alongside the work and for long backfills. It
   * must be possible to run it again when it was killed in between.
   */
  readonly outsideTransaction?: boolean;
  /** Name of the migration that creates the table as it is declared, and so with this change: where both are due, that one makes it. */
  readonly declaredIn?: string;
  /** Its statements, or what gives them or does the work itself. */
  readonly up: readonly string[] | ((db: Knex) => readonly string[] | Promise<void>);
}

/**
 * Creates a room's tables as they are declared.
 * @param more gives further statements of one of the two databases
 */
export const baseline = (
  room: string,
  tables: readonly Table[],
  more: (db: Knex) => readonly string[] = () => [],
): Migration => ({
  name: `${room}-baseline`,
  up: (db) => [...tables.flatMap(({ statements }) => statements), ...more(db)],
});

/** Creates the tables of a room that is younger than the baselines: databases from before the first release lack them. */
export const laterTables = (room: string, tables: readonly Table[]): Migration => ({
  ...baseline(room, tables),
  name: `${room}-tables`,
});

/** Makes the change. */
export async function bringIn(db: Knex, { up }: Migration): Promise<void> {
  await runStatements(db, typeof up === 'function' ? ((await up(db)) ?? []) : up);
}

/** Runs statements in order. */
export async function runStatements(db: Knex, statements: readonly string[]): Promise<void> {
  for (const statement of statements) {
    await db.raw(statement.startsWith('create table ') ? portableTable(db, statement) : statement);
  }
}

/** In `create table`, numbers have 64 bits on PostgreSQL, too, and SQLite is made to refuse text in integer columns. */
function portableTable(db: Knex, statement: string): string {
  if (!isPostgres(db)) return `${statement} strict`;
  return statement
    .replaceAll(/\binteger\b/g, 'bigint')
    .replaceAll(/\breal\b/g, 'double precision')
    .replaceAll(/\bblob\b/g, 'bytea');
}

/** Returns an index of each of some columns that are empty in most rows. */
export const indexesOf = (table: string, ...columns: readonly string[]): string[] =>
  columns.map((column) => `create index ${table}_by_${column} on ${table} (${column}) where ${column} is not null`);

/** Returns the type of whole numbers of 64 bits, for columns that are added. */
export const wholeNumbers = (db: Knex): string => (isPostgres(db) ? 'bigint' : 'integer');

/** Returns whether rows can be locked one by one. SQLite locks the whole database for one writer instead. */
export function isPostgres(db: Knex): boolean {
  return db.client.driverName === 'pg';
}
