/** The machine's storage: real SQLite in memory and durable folders, seen by one process at a time, which may die at any commit. */
import { createHash } from 'node:crypto';
import Sqlite from 'better-sqlite3';
import knex, { type Knex } from 'knex';
import type { Database } from '../../gateway/runtime/database.ts';
import type { DurableFolder } from '../../gateway/runtime/durable-folder.ts';
import { turnsGathered } from '../../gateway/runtime/group-commit.ts';
import { PreparedSqlite } from '../../gateway/runtime/prepared-sqlite.ts';
import { tables } from '../house.ts';
import { prepareToFollow } from './commit-log.ts';

/** A run of the service: dead ones neither read nor write, and their promises never come true. */
export interface Process {
  dead: boolean;
}

/** What looks on at each statement and commit. */
export interface CommitWatch {
  /** What a statement or a file waits for before it is the disk's turn. */
  delay(): Promise<void> | undefined;
  /** The process is about to commit; true ends it here. */
  before(): boolean;
  /** Something was committed. True ends the process here. */
  after(): boolean;
}

/** A connection as the service's client sees it, with the process it belongs to; none while the disk is set up. */
interface Connection {
  readonly prepare: (sql: string) => Sqlite.Statement;
  /** Runs one statement in the name of a process. */
  readonly gate: (sql: string, run: () => Promise<unknown>) => Promise<unknown>;
}

/** What nobody answers any more: one each, as a promise keeps whoever waits for it. */
const never = (): Promise<never> => new Promise(() => {});

export interface Disk {
  /** For looks from outside, between the statements of the service. */
  readonly sqlite: Sqlite.Database;
  readonly files: DurableFolder & { has(name: string): boolean };
  readonly pictures: DurableFolder & { has(name: string): boolean };
  /** Statements and files so far, and turns of commits that gather works: grows with everything a process does. */
  readonly progress: () => number;
  /** Opens the database as a process sees it. */
  open(process: Process, watch: CommitWatch): Database;
  /** What is not committed is gone, as at any crash. */
  crash(): void;
  /** A disk that nothing was written to. */
  wipe(): void;
}

/** Makes a disk with all tables of the service. */
export async function createDisk(): Promise<Disk> {
  const sqlite = new Sqlite(':memory:');
  sqlite.pragma('foreign_keys=ON');
  const statements = new Map<string, Sqlite.Statement>();
  let steps = 0;
  const step = (): void => {
    steps++;
  };
  const prepare = (sql: string): Sqlite.Statement => {
    const known = statements.get(sql) ?? sqlite.prepare(sql);
    statements.set(sql, known);
    return known;
  };
  const open: Disk['open'] = (process, watch) => {
    async function commit(run: () => Promise<unknown>): Promise<unknown> {
      if (watch.before()) return never();
      const result = await run();
      if (process.dead) return never();
      return watch.after() ? never() : result;
    }
    async function gate(sql: string, run: () => Promise<unknown>): Promise<unknown> {
      step();
      if (process.dead) return never();
      await watch.delay();
      if (process.dead) return never();
      const isWrite = /^(insert|update|delete) /.test(sql);
      const isCommit = sql.startsWith('COMMIT') || (isWrite && !sqlite.inTransaction);
      return isCommit ? commit(run) : run();
    }
    return databaseOver({ prepare, gate });
  };
  const setUp = databaseOver({ prepare, gate: (_sql, run) => run() });
  for (const table of [...tables].sort((one, other) => (one.name < other.name ? -1 : 1))) await table.up(setUp);
  const names = sqlite.prepare("select name from sqlite_master where type = 'table'").pluck().all() as string[];
  prepareToFollow(sqlite);
  const files = memoryFolder(step);
  const pictures = memoryFolder(step);
  return {
    sqlite,
    files,
    pictures,
    progress: () => steps + turnsGathered(),
    open,
    crash: () => void (sqlite.inTransaction && sqlite.exec('rollback')),
    wipe() {
      sqlite.exec('rollback; '.repeat(Number(sqlite.inTransaction)));
      sqlite.pragma('foreign_keys=OFF');
      for (const name of names) sqlite.exec(`delete from "${name}"`);
      sqlite.exec('delete from touched');
      sqlite.pragma('foreign_keys=ON');
      files.wipe();
      pictures.wipe();
    },
  };
}

/** The service's own client for SQLite, with a gate before each statement. */
class GatedSqlite extends (PreparedSqlite as unknown as new (
  config: object,
) => {
  _query(connection: Connection, query: { readonly sql: string }): Promise<unknown>;
}) {
  override _query(connection: Connection, query: { readonly sql: string }): Promise<unknown> {
    return connection.gate(query.sql, () => super._query(connection, query));
  }
}

/**
 * knex over one connection that is there already, taken in turns. Its own pool would do the same, with timers of the
 * machine that outlive a process which is no more.
 */
function databaseOver(connection: Connection): Database {
  const db = knex({
    client: GatedSqlite as unknown as typeof Knex.Client,
    connection: { filename: ':memory:' },
    useNullAsDefault: true,
    pool: { min: 0 },
  });
  const waiting: ((connection: unknown) => void)[] = [];
  let taken = false;
  db.client.acquireConnection = (): Promise<unknown> => {
    if (taken) return new Promise((resolve) => waiting.push(resolve));
    taken = true;
    return Promise.resolve(connection);
  };
  db.client.releaseConnection = async (): Promise<void> => {
    const next = waiting.shift();
    if (next === undefined) taken = false;
    else next(connection);
  };
  return db;
}

/** A durable folder whose `put` is whole or was never begun: what a crash leaves of the real one (INV-03). */
function memoryFolder(step: () => void) {
  const files = new Map<string, Buffer>();
  return {
    async put(bytes: Uint8Array): Promise<string> {
      step();
      const name = createHash('sha256').update(bytes).digest('hex');
      files.set(name, Buffer.from(bytes));
      return name;
    },
    async get(name: string): Promise<Buffer | undefined> {
      step();
      return files.get(name);
    },
    async keep(name: string): Promise<boolean> {
      step();
      return files.has(name);
    },
    has: (name: string): boolean => files.has(name),
    wipe: (): void => files.clear(),
  };
}
