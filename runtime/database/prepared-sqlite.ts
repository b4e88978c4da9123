/**
 * SQLite through knex, with every statement prepared once and rows put together here: preparing a statement costs
 * several times as much as running it, and so do the driver's own row objects.
 */
import { createRequire } from 'node:module';
import type { Knex } from 'knex';
import { BoundedMap } from '../bounded-map.ts';
import { errorCode } from '../error-code.ts';
import { isLocked, outlastLock } from './database-lock.ts';
import { LightTransaction } from './light-transaction.ts';

/** The number of statements that are kept for each connection; beyond it the oldest is dropped. */
const maxStatements = 500;

interface Statement {
  readonly reader: boolean;
  readonly readonly: boolean;
  raw(): Statement;
  columns(): readonly { readonly name: string }[];
  all(bindings: readonly unknown[]): (readonly unknown[])[];
  get(bindings: readonly unknown[]): readonly unknown[] | undefined;
  run(bindings: readonly unknown[]): { lastInsertRowid: number | bigint; changes: number };
}
interface Connection {
  /** The driver's own property; undefined for a connection whose statements all have to pass a gate. */
  readonly inTransaction: boolean | undefined;
  /** True for a connection whose commits have to pass a gate, and nothing else. */
  readonly commitsWait?: true;
  prepare(sql: string): Statement;
}
interface Query {
  readonly sql: string;
  readonly bindings?: readonly unknown[];
  response?: unknown;
  context?: { lastID: number | bigint; changes: number };
}

/**
 * Knex’s own client for better-sqlite3; its documentation has clients made by extending one. `_query` is not a promise of
 * its own, so the version is pinned and `test/runtime/private-parts.test.ts` looks at it. Measured: a row by its key
 * costs 56 to 68 µs of processor time instead of 110 to 180, since preparing takes 1.5 to 3 times what running such a
 * statement takes.
 */
const BetterSqlite = createRequire(import.meta.url)('knex/lib/dialects/better-sqlite3') as new (
  config: Knex.Config,
) => Knex.Client & {
  readonly transacting?: boolean;
  runner(builder: unknown): Runner;
};

/** Runs a built query: takes a connection, and gives it back. */
interface Runner {
  run(): Promise<unknown>;
}

type Row = Record<string, unknown>;
interface RowMaker {
  /** The values that it takes. */
  readonly columns: number;
  readonly make: (values: readonly unknown[]) => Row;
}

/** A prepared statement, and the function that makes its rows, which is known after the first rows. */
interface Prepared {
  readonly statement: Statement;
  rows?: RowMaker;
}

/** A connection with its prepared statements. */
interface Kept {
  readonly connection: Connection;
  readonly statements: BoundedMap<string, Prepared>;
  /** The error with which a sync of the file failed; nothing uses the connection any longer after it (INV-73). */
  unsynced?: unknown;
  /** The number of commits. Each is an fsync, which is the main cost of the database (docs/capacity.md). */
  commits: number;
}

const keptOf = new WeakMap<Connection, Kept>();

/** The connection that each client queried last, also that of a transaction; it is always the same for one database. */
const lastOf = new WeakMap<object, Kept>();

/** Returns whether SQLite reports a failed sync of its file or of its folder. */
export function isSyncFailure(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'SQLITE_IOERR_FSYNC' || code === 'SQLITE_IOERR_DIR_FSYNC';
}

function onDisk<Result>(kept: Kept, run: () => Result): Result {
  if (kept.unsynced !== undefined) throw kept.unsynced;
  try {
    return run();
  } catch (error) {
    if (isSyncFailure(error)) kept.unsynced = error;
    throw error;
  }
}

class Preparing extends BetterSqlite {
  /** A query that finds another process's lock gives its connection back, and takes one again later (T-68). */
  override runner(builder: unknown): Runner {
    const runner = super.runner(builder);
    // The caller runs a transaction again as a whole.
    if (this.transacting === true) return runner;
    return Object.assign(runner, { run: () => outlastLock(() => super.runner(builder).run()) });
  }

  override transaction(...of: Parameters<Knex.Client['transaction']>): ReturnType<Knex.Client['transaction']> {
    return new LightTransaction(this, ...of) as unknown as ReturnType<Knex.Client['transaction']>;
  }

  async _query(connection: Connection, query: Query): Promise<Query> {
    if (!query.sql) throw new Error('The query is empty');
    const kept = keptOf.get(connection) ?? {
      connection,
      statements: new BoundedMap<string, Prepared>(maxStatements),
      commits: 0,
    };
    keptOf.set(connection, kept);
    lastOf.set(this, kept);
    // A transaction that reads first and writes later fails at once when another process wrote in between.
    const { sql, bindings } = withLimit(query.sql === 'BEGIN;' ? 'BEGIN IMMEDIATE' : query.sql, query.bindings ?? []);
    const prepared = prepare(kept, sql);
    if (prepared.statement.reader) {
      query.response = onDisk(kept, () => rowsOf(prepared, bindings));
      return query;
    }
    const done = onDisk(kept, () => prepared.statement.run(bindings));
    countCommit(kept, query.sql);
    query.response = done;
    query.context = { lastID: done.lastInsertRowid, changes: done.changes };
    return query;
  }
}

/**
 * Writes the number of a last `limit ?` into the statement: SQLite plans a statement by the number that is bound there,
 * and plans it again at each binding. Measured: 3 µs instead of 31 for a row by its key.
 */
function withLimit(sql: string, given: readonly unknown[]): { readonly sql: string; readonly bindings: unknown[] } {
  const bindings = given.map(bindable);
  const limit = bindings.at(-1);
  if (!sql.endsWith(' limit ?') || !Number.isSafeInteger(limit)) return { sql, bindings };
  return { sql: `${sql.slice(0, -1)}${limit}`, bindings: bindings.slice(0, -1) };
}

/** A value as the driver takes it. */
function bindable(value: unknown): unknown {
  if (value instanceof Date) return value.valueOf();
  return typeof value === 'boolean' ? Number(value) : value;
}

/** Counts a commit: a statement outside of a transaction makes one of its own, and `COMMIT` has just ended one. */
function countCommit(kept: Kept, sql: string): void {
  if (kept.connection.inTransaction === false && !sql.startsWith('ROLLBACK')) kept.commits += 1;
}

/** Returns how often this process has committed something to SQLite; undefined for another database. */
export function commitsOf(db: Knex): number | undefined {
  return lastOf.get(db.client)?.commits;
}

/** Works like knex's client, except for the preparing. */
export const PreparedSqlite = Preparing as unknown as typeof Knex.Client;

/**
 * Runs a statement at once on SQLite's connection: inside a transaction, or while no transaction of others is open.
 * @param most the number of rows wanted of a select; one row costs less
 * @returns undefined when it has to wait, also for another process, or `db` is another database
 */
export function runAtOnce(
  db: Knex,
  sql: string,
  bindings: readonly unknown[],
  most: 'all' | 'first' = 'all',
): unknown[] | undefined {
  const kept = lastOf.get(db.client);
  const inTransaction = kept?.connection.inTransaction;
  if (kept === undefined || inTransaction === undefined || inTransaction !== isUnderWay(db)) return undefined;
  try {
    const limited = withLimit(sql, bindings);
    const prepared = prepare(kept, limited.sql);
    if (!inTransaction && kept.connection.commitsWait === true && !prepared.statement.readonly) return undefined;
    if (prepared.statement.reader) return onDisk(kept, () => rowsOf(prepared, limited.bindings, most));
    onDisk(kept, () => prepared.statement.run(limited.bindings));
    countCommit(kept, sql);
    return [];
  } catch (error) {
    // Callers wait for another process's lock elsewhere.
    if (!inTransaction && isLocked(error)) return undefined;
    // The error shows the statement as knex does: with its placeholders, never with their values (T-12).
    // A failed sync is not a statement's fault, and is thrown again for every later one (INV-73).
    if (error instanceof Error && !isSyncFailure(error)) error.message = `${sql} - ${error.message}`;
    db.client.emit('query-error', error);
    throw error;
  }
}

/** Returns whether this is a transaction; undefined for a transaction that is over, whose statements belong nowhere. */
function isUnderWay(db: Knex): boolean | undefined {
  if (db.isTransaction !== true) return false;
  return (db as Knex.Transaction).isCompleted() ? undefined : true;
}

function rowsOf(prepared: Prepared, bindings: readonly unknown[], most: 'all' | 'first' = 'all'): Row[] {
  if (most === 'first') {
    const values = prepared.statement.get(bindings);
    return values === undefined ? [] : [makerOf(prepared, values)(values)];
  }
  const found = prepared.statement.all(bindings);
  const [first] = found;
  if (first === undefined) return [];
  const make = makerOf(prepared, first);
  const rows: Row[] = [];
  for (const values of found) rows.push(make(values));
  return rows;
}

/** Returns the function that makes rows of these values; it is made again when a migration has added columns. */
function makerOf(prepared: Prepared, values: readonly unknown[]): RowMaker['make'] {
  if (prepared.rows?.columns !== values.length) {
    prepared.rows = rowMaker(prepared.statement.columns().map(({ name }) => name));
  }
  return prepared.rows.make;
}

/**
 * Makes a function for each statement, of one object literal: a row that is filled name by name becomes a dictionary
 * beyond some sixteen columns. Measured: 200 rows of 25 columns are made and read in 0.6 to 1.0 ms instead of 0.7 to
 * 1.4. The last one of several columns with the same name counts.
 */
function rowMaker(names: readonly string[]): RowMaker {
  const fields = new Map(names.map((name, at) => [name, `${JSON.stringify(name)}: values[${at}]`]));
  const make = new Function('values', `return { ${[...fields.values()].join(', ')} };`);
  return { columns: names.length, make: make as RowMaker['make'] };
}

function prepare({ connection, statements }: Kept, sql: string): Prepared {
  const known = statements.get(sql);
  if (known !== undefined) return known;
  const statement = connection.prepare(sql);
  if (statement.reader) statement.raw();
  const prepared = { statement };
  statements.set(sql, prepared);
  return prepared;
}
