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
  get(bindings: readonly unknown[]): readonly unknown[] | undefined;
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

type Row = Record<string, unknown>;
interface RowMaker {
  /** Values that it takes. */
  readonly columns: number;
  readonly make: (values: readonly unknown[]) => Row;
}

/** A statement that is prepared, and how its rows are made; known when the first have come. */
interface Prepared {
  readonly statement: Statement;
  rows?: RowMaker;
}

/** A connection, and what is remembered of it. */
interface Kept {
  readonly connection: Connection;
  readonly statements: Map<string, Prepared>;
  /** What SQLite said when a sync of the file failed: nothing uses the connection any more (INV-73). */
  unsynced?: unknown;
  /** An fsync each, which is what the database costs (docs/capacity.md). */
  commits: number;
}

const keptOf = new WeakMap<Connection, Kept>();

/** The connection that a client, or a transaction's, queried last: of one database it is always the same. */
const lastOf = new WeakMap<object, Kept>();

/** Whether SQLite says that a sync of its file, or of the folder around it, failed. */
export function isSyncFailure(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
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
  async _query(connection: Connection, query: Query): Promise<Query> {
    if (!query.sql) throw new Error('The query is empty');
    const kept = keptOf.get(connection) ?? { connection, statements: new Map(), commits: 0 };
    keptOf.set(connection, kept);
    lastOf.set(this, kept);
    // A transaction that reads first and writes later fails at once when another process wrote in between.
    const prepared = prepare(kept, query.sql === 'BEGIN;' ? 'BEGIN IMMEDIATE' : query.sql);
    const bindings = this._formatBindings(query.bindings);
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

/** A statement outside of a transaction is one of its own, and `COMMIT` has just ended one. */
function countCommit(kept: Kept, sql: string): void {
  if (kept.connection.inTransaction === false && !sql.startsWith('ROLLBACK')) kept.commits += 1;
}

/** How often this process has committed something to SQLite; undefined for another database. */
export function commitsOf(db: Knex): number | undefined {
  return lastOf.get(db.client)?.commits;
}

/** As knex’s client, but for the preparing. */
export const PreparedSqlite = Preparing as unknown as typeof Knex.Client;

/**
 * Runs a statement at once on SQLite's connection: in a transaction, or while there is none that it could get into.
 * @param most how many rows are wanted of a select; one alone costs less
 * @returns undefined when it has to wait, or `db` is another database
 */
export function runAtOnce(
  db: Knex,
  sql: string,
  bindings: readonly unknown[],
  most: 'all' | 'first' = 'all',
): unknown[] | undefined {
  const kept = lastOf.get(db.client);
  const inTransaction = kept?.connection.inTransaction;
  if (kept === undefined || inTransaction === undefined || (inTransaction && db.isTransaction !== true))
    return undefined;
  try {
    const prepared = prepare(kept, sql);
    if (prepared.statement.reader) return onDisk(kept, () => rowsOf(prepared, bindings, most));
    onDisk(kept, () => prepared.statement.run(bindings));
    countCommit(kept, sql);
    return [];
  } catch (error) {
    // What knex runs it tells by itself: the statement with its placeholders, never their values (T-12).
    // A failed sync is no statement's fault, and is thrown again for every later one (INV-73).
    if (error instanceof Error && !isSyncFailure(error)) error.message = `${sql} - ${error.message}`;
    db.client.emit('query-error', error);
    throw error;
  }
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

/** What makes rows of values like these; anew when a migration has given the table more columns. */
function makerOf(prepared: Prepared, values: readonly unknown[]): RowMaker['make'] {
  if (prepared.rows?.columns !== values.length) {
    prepared.rows = rowMaker(prepared.statement.columns().map(({ name }) => name));
  }
  return prepared.rows.make;
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

function prepare({ connection, statements }: Kept, sql: string): Prepared {
  const known = statements.get(sql);
  if (known !== undefined) return known;
  const statement = connection.prepare(sql);
  if (statement.reader) statement.raw();
  const [oldest] = statements.keys();
  if (statements.size === mostStatements && oldest !== undefined) statements.delete(oldest);
  const prepared = { statement };
  statements.set(sql, prepared);
  return prepared;
}
