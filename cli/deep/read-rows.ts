/** Opens the rows of a service to read them, alongside whatever else runs: nothing can be written through it. */
import Sqlite from 'better-sqlite3';
import pg from 'pg';
import { refuse } from '../../reasons/refusals.ts';
import type { RowReader } from './invariant.ts';

/** The time that PostgreSQL gives one query. SQLite has no such limit: Ctrl-C ends it, and does no harm. */
const statementMs = 300_000;
const connectMs = 10_000;

/**
 * Opens a file of SQLite. Readers of it hold nobody up; SQLite's log of writes grows while one query lasts.
 * @throws Refusal `bad-configuration` when it cannot be read
 */
export function readSqlite(file: string): RowReader {
  try {
    return readerOf(new Sqlite(file, { readonly: true, fileMustExist: true, timeout: 5_000 }));
  } catch (error) {
    const why = error instanceof Error ? error.message : 'it cannot be opened';
    throw refuse('bad-configuration', {
      message: `PAPERGATE_DATA: ${file}: ${why}`,
      hint: 'correct PAPERGATE_DATA, and run this as the service’s own user',
    });
  }
}

/** Reads over a connection that is open already. */
export function readerOf(sqlite: Sqlite.Database): RowReader {
  return {
    all: async <Row>(sql: string) => sqlite.prepare(sql).all() as Row[],
    now: async () => Date.now(),
    close: async () => void sqlite.close(),
  };
}

/** Opens a database on PostgreSQL. Each query has a transaction of its own, so that none holds up the clearing of dead rows. */
export async function readPostgres(url: string): Promise<RowReader> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectMs });
  // A connection that breaks later is reported by the query that it breaks.
  client.on('error', () => {});
  await client.connect();
  const all = async <Row>(sql: string): Promise<readonly Row[]> => {
    await client.query('begin transaction isolation level repeatable read read only');
    try {
      await client.query(`set local statement_timeout = ${statementMs}`);
      return (await client.query(sql)).rows as Row[];
    } finally {
      await client.query('rollback').catch(() => {});
    }
  };
  return {
    all,
    async now() {
      const rows = await all<{ now: string }>('select (extract(epoch from clock_timestamp()) * 1000)::bigint as now');
      return Number(rows[0]?.now);
    },
    close: () => client.end(),
  };
}
