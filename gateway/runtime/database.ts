/** The database: SQLite in the data folder, or PostgreSQL. Portable SQL through knex; every time is handed in. */
import { chmod, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import knex, { type Knex } from 'knex';
import pg from 'pg';
import { makeFolder, type SyncFailed } from './durable-file.ts';
import { teachFolding } from './fold-text.ts';
import { groupCommits, mostWorks } from './group-commit.ts';
import { isSyncFailure, PreparedSqlite } from './prepared-sqlite.ts';
import { refuse } from './refusals.ts';
import { refusedFile } from './refuse-file.ts';

export type Database = Knex;
export type Transaction = Knex.Transaction;

/** One subject's tables. Names order them and are never reused. */
export interface Migration {
  readonly name: string;
  up(db: Knex): Promise<void>;
}

/** Where the rows live: a file path for SQLite, or a `postgres://` address. */
export type DatabaseAddress = { readonly file: string } | { readonly url: string };

/** Opens the database and brings its tables up to date. `syncFailed` is for SQLite; PostgreSQL ends by itself. */
export async function openDatabase(
  address: DatabaseAddress,
  migrations: readonly Migration[],
  syncFailed: SyncFailed = () => {},
): Promise<Database> {
  if ('file' in address && address.file !== ':memory:') await keepPrivate(address.file);
  const db = 'url' in address ? openPostgres(address.url) : openSqlite(address.file);
  db.on('query-error', (error: unknown) => {
    if (isSyncFailure(error)) syncFailed(error);
  });
  try {
    await db.migrate.latest({ migrationSource: asSource(migrations), tableName: 'migrations' });
    if ('file' in address) await checkSqlite(db);
  } catch (error) {
    await db.destroy();
    throw ('file' in address ? refusedFile(error, address.file) : undefined) ?? error;
  }
  return db;
}

/**
 * Makes the file for its owner alone (T-13); SQLite gives those beside it the same mode. One that exists is not opened:
 * closing it again would end the locks that this process has on it.
 */
async function keepPrivate(file: string): Promise<void> {
  await makeFolder(dirname(file));
  await writeFile(file, '', { mode: 0o600, flag: 'wx' }).catch(unlessCode('EEXIST'));
  for (const suffix of ['', '-wal', '-shm']) {
    await chmod(file + suffix, 0o600).catch(unlessCode('ENOENT', 'EPERM'));
  }
}

function unlessCode(...codes: readonly string[]): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof Error && 'code' in error && codes.includes(String(error.code)))) throw error;
  };
}

/** Messages of errors show a statement with its placeholders: its values may be content, or sealed tokens (T-12). */
const compileSqlOnError = false;
/** What knex warns of is thrown too, and told there without a stack. */
const log = { warn: (): void => {} };

function openPostgres(url: string): Database {
  // bigint arrives as text otherwise; every integer here stays below 2^53.
  pg.types.setTypeParser(pg.types.builtins.INT8, Number);
  return knex({
    ...{ client: 'pg', connection: url, pool: { min: 0, max: 10 }, acquireConnectionTimeout: 10_000 },
    compileSqlOnError,
    log,
  });
}

type SqliteHandle = Parameters<typeof teachFolding>[0] & { pragma(source: string): unknown };

function openSqlite(file: string): Database {
  return knex({
    client: PreparedSqlite,
    connection: { filename: file },
    useNullAsDefault: true,
    compileSqlOnError,
    log,
    acquireConnectionTimeout: 10_000,
    pool: {
      min: 1,
      max: 1,
      // The driver reopens a WAL file with synchronous=NORMAL, which loses acknowledged rows on power failure (F1).
      afterCreate(handle: SqliteHandle, done: (error: Error | null, handle: SqliteHandle) => void) {
        for (const pragma of ['journal_mode=WAL', 'synchronous=FULL', 'busy_timeout=5000', 'foreign_keys=ON']) {
          handle.pragma(pragma);
        }
        // A killed process leaves commits that it had not synced yet; they are, before anybody is told of them (INV-02).
        handle.pragma('wal_checkpoint');
        teachFolding(handle);
        done(null, handle);
      },
    },
  });
}

/** Reads back what INV-01 rests on; a database that would lose acknowledged rows is refused. */
async function checkSqlite(db: Database): Promise<void> {
  const rows: { synchronous: number }[] = await db.raw('pragma synchronous');
  if (rows[0]?.synchronous !== 2) throw refuse('unsafe-database');
}

function asSource(migrations: readonly Migration[]): Knex.MigrationSource<Migration> {
  return {
    getMigrations: async () => [...migrations].sort((a, b) => (a.name < b.name ? -1 : 1)),
    getMigrationName: (migration) => migration.name,
    getMigration: async (migration) => ({ up: (db) => migration.up(db), down: async () => {} }),
  };
}

/**
 * Creates a table from portable column definitions: `integer` is 64 bits on PostgreSQL, and SQLite is made to refuse
 * text in integer columns.
 */
export async function createTable(db: Knex, name: string, columns: string): Promise<void> {
  const postgres = isPostgres(db);
  const body = postgres ? columns.replaceAll(/\binteger\b/g, 'bigint') : columns;
  await db.raw(`create table ${name} (${body})${postgres ? '' : ' strict'}`);
}

/** Whether rows can be locked one by one. SQLite locks the whole database for one writer instead. */
export function isPostgres(db: Knex): boolean {
  return db.client.config.client === 'pg';
}

const retriedCodes = new Set(['SQLITE_BUSY', 'SQLITE_BUSY_SNAPSHOT', '40001', '40P01']);

/** One queue a SQLite database. PostgreSQL has connections for several writers, and groups their commits itself. */
const queues = new WeakMap<Database, ReturnType<typeof groupCommits>>();

/**
 * Runs work in one transaction, again when another process wrote in between or another work of the same commit failed:
 * nothing has happened then. The work must use the transaction for every query and keep its effects inside.
 */
export function transact<Result>(db: Database, work: (trx: Transaction) => Promise<Result>): Promise<Result> {
  return queued(db, work, false);
}

/** As `transact`, for what nobody waits for: it prefers the next commit that is made anyway. */
export function transactPatiently<Result>(db: Database, work: (trx: Transaction) => Promise<Result>): Promise<Result> {
  return queued(db, work, true);
}

function queued<Result>(db: Database, work: (trx: Transaction) => Promise<Result>, patient: boolean): Promise<Result> {
  if (db.isTransaction === true || isPostgres(db)) return transactAlone(db, work);
  const queue = queues.get(db) ?? groupCommits(db, (alone) => transactAlone(db, alone));
  queues.set(db, queue);
  return queue(work, patient);
}

/**
 * As `transact`, in a commit that is shared with nobody: for what is acted on as soon as it is known. In a shared commit
 * the others of it would be told at the same moment, also of what makes this untrue.
 */
export async function transactAlone<Result>(
  db: Database,
  work: (trx: Transaction) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction(work);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (attempt === 5 || !retriedCodes.has(code)) throw error;
    }
  }
}

/**
 * Works that frames may have under way at once, so that people always find a place: on SQLite as many as share a commit,
 * on PostgreSQL fewer than there are connections.
 */
export function worksAtOnce(db: Database): number {
  return isPostgres(db) ? 6 : mostWorks;
}

/** Whether an insert failed because such a row exists. */
export function isUniqueViolation(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY' || code === '23505';
}
