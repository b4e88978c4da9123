/**
 * SQLite through knex with every statement prepared once, and rows put together here: preparing costs several times what
 * running a statement does, and so do the driver's own row objects.
 */
import { createRequire } from 'node:module';
import type { Knex } from 'knex';

/** Statements that are remembered a connection; beyond it the oldest is forgotten. */
const mostStatements = 500;

interface Statement {
  readonly reader: boolean;
  raw(): Statement;
  columns(): readonly { readonly name: string }[];
  all(bindings: readonly unknown[]): (readonly unknown[])[];
  run(bindings: readonly unknown[]): { lastInsertRowid: number | bigint; changes: number };
}
interface Connection {
  /** The driver's own word; undefined for a connection that wants every statement to pass its gate. */
  readonly inTransaction: boolean | undefined;
  prepare(sql: string): Statement;
}
interface Query {
  readonly sql: string;
  readonly bindings?: readonly unknown[];
  response?: unknown;
  context?: { lastID: number | bigint; changes: number };
}

/** Knex’s own client for better-sqlite3; its documentation has clients made by extending one. */
const BetterSqlite = createRequire(import.meta.url)('knex/lib/dialects/better-sqlite3') as new (
  config: Knex.Config,
) => Knex.Client & { _formatBindings(bindings: readonly unknown[] | undefined): unknown[] };

const statements = new WeakMap<Connection, Map<string, Statement>>();

/** Connections to a file that could not be synced, with what SQLite said: nothing uses them any more (INV-73). */
const unsynced = new WeakMap<Connection, unknown>();

/** Whether SQLite says that a sync of its file, or of the folder around it, failed. */
export function isSyncFailure(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return code === 'SQLITE_IOERR_FSYNC' || code === 'SQLITE_IOERR_DIR_FSYNC';
}

function onDisk<Result>(connection: Connection, run: () => Result): Result {
  if (unsynced.has(connection)) throw unsynced.get(connection);
  try {
    return run();
  } catch (error) {
    if (isSyncFailure(error)) unsynced.set(connection, error);
    throw error;
  }
}

/** The connection that a client, or a transaction's, queried last: of one database it is always the same. */
const connectionOf = new WeakMap<object, Connection>();

class Prepared extends BetterSqlite {
  async _query(connection: Connection, query: Query): Promise<Query> {
    if (!query.sql) throw new Error('The query is empty');
    // A transaction that reads first and writes later fails at once when another process wrote in between.
    connectionOf.set(this, connection);
    const statement = prepared(connection, query.sql === 'BEGIN;' ? 'BEGIN IMMEDIATE' : query.sql);
    const bindings = this._formatBindings(query.bindings);
    if (statement.reader) {
      query.response = onDisk(connection, () => rowsOf(statement, statement.all(bindings)));
      return query;
    }
    const done = onDisk(connection, () => statement.run(bindings));
    countCommit(connection, query.sql);
    query.response = done;
    query.context = { lastID: done.lastInsertRowid, changes: done.changes };
    return query;
  }
}

/** Commits of each connection: an fsync each, which is what the database costs (docs/capacity.md). */
const commits = new WeakMap<Connection, number>();

/** A statement outside of a transaction is one of its own, and `COMMIT` has just ended one. */
function countCommit(connection: Connection, sql: string): void {
  if (connection.inTransaction !== false || sql.startsWith('ROLLBACK')) return;
  commits.set(connection, (commits.get(connection) ?? 0) + 1);
}

/** How often this process has committed something to SQLite; undefined for another database. */
export function commitsOf(db: Knex): number | undefined {
  const connection = connectionOf.get(db.client);
  return connection === undefined ? undefined : (commits.get(connection) ?? 0);
}

/** As knex’s client, but for the preparing. */
export const PreparedSqlite = Prepared as unknown as typeof Knex.Client;

/**
 * Runs a statement at once on SQLite's connection: in a transaction, or while there is none that it could get into.
 * @returns undefined when it has to wait, or `db` is another database
 */
export function runAtOnce(db: Knex, sql: string, bindings: readonly unknown[]): unknown[] | undefined {
  const connection = connectionOf.get(db.client);
  if (connection?.inTransaction === undefined || (db.isTransaction !== true && connection.inTransaction))
    return undefined;
  try {
    const statement = prepared(connection, sql);
    if (statement.reader) return onDisk(connection, () => rowsOf(statement, statement.all(bindings)));
    onDisk(connection, () => statement.run(bindings));
    countCommit(connection, sql);
    return [];
  } catch (error) {
    // What knex runs it tells by itself: the statement with its placeholders, never their values (T-12).
    // A failed sync is no statement's fault, and is thrown again for every later one (INV-73).
    if (error instanceof Error && !isSyncFailure(error)) error.message = `${sql} - ${error.message}`;
    db.client.emit('query-error', error);
    throw error;
  }
}

type Row = Record<string, unknown>;
interface RowMaker {
  /** Values that it takes. */
  readonly columns: number;
  readonly make: (values: readonly unknown[]) => Row;
}
const rowMakers = new WeakMap<Statement, RowMaker>();

function rowsOf(statement: Statement, found: readonly (readonly unknown[])[]): Row[] {
  const [first] = found;
  if (first === undefined) return [];
  let maker = rowMakers.get(statement);
  // Also when a migration has given the table more columns.
  if (maker?.columns !== first.length) {
    maker = rowMaker(statement.columns().map(({ name }) => name));
    rowMakers.set(statement, maker);
  }
  return found.map(maker.make);
}

/**
 * One function for each statement, of one object literal: a row that is filled name by name becomes a dictionary beyond
 * some sixteen columns, and costs twice as much to make and to read. Of columns with the same name the last one counts.
 */
function rowMaker(names: readonly string[]): RowMaker {
  const fields = new Map(names.map((name, at) => [name, `${JSON.stringify(name)}: values[${at}]`]));
  const make = new Function('values', `return { ${[...fields.values()].join(', ')} };`);
  return { columns: names.length, make: make as RowMaker['make'] };
}

function prepared(connection: Connection, sql: string): Statement {
  const known = statements.get(connection) ?? new Map<string, Statement>();
  statements.set(connection, known);
  const ready = known.get(sql);
  if (ready !== undefined) return ready;
  const statement = connection.prepare(sql);
  if (statement.reader) statement.raw();
  const [oldest] = known.keys();
  if (known.size === mostStatements && oldest !== undefined) known.delete(oldest);
  known.set(sql, statement);
  return statement;
}
