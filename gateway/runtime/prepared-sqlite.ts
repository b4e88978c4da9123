/** SQLite through knex with every statement prepared once: preparing costs several times what running one does. */
import { createRequire } from 'node:module';
import type { Knex } from 'knex';

/** Statements that are remembered a connection; beyond it the oldest is forgotten. */
const mostStatements = 500;

interface Statement {
  readonly reader: boolean;
  all(bindings: readonly unknown[]): unknown[];
  run(bindings: readonly unknown[]): { lastInsertRowid: number | bigint; changes: number };
}
interface Connection {
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

class Prepared extends BetterSqlite {
  async _query(connection: Connection, query: Query): Promise<Query> {
    if (!query.sql) throw new Error('The query is empty');
    const statement = prepared(connection, query.sql);
    const bindings = this._formatBindings(query.bindings);
    if (statement.reader) {
      query.response = statement.all(bindings);
      return query;
    }
    const done = statement.run(bindings);
    query.response = done;
    query.context = { lastID: done.lastInsertRowid, changes: done.changes };
    return query;
  }
}

/** As knex’s client, but for the preparing. */
export const PreparedSqlite = Prepared as unknown as typeof Knex.Client;

function prepared(connection: Connection, sql: string): Statement {
  const known = statements.get(connection) ?? new Map<string, Statement>();
  statements.set(connection, known);
  const ready = known.get(sql);
  if (ready !== undefined) return ready;
  const statement = connection.prepare(sql);
  const [oldest] = known.keys();
  if (known.size === mostStatements && oldest !== undefined) known.delete(oldest);
  known.set(sql, statement);
  return statement;
}
