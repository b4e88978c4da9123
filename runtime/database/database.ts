/** The database: SQLite in the data folder, or PostgreSQL. Portable SQL through knex; every time is handed in. */
import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import knex, { type Knex } from 'knex';
import { refuse } from '../../reasons/refusals.ts';
import {
  holdsSomething,
  keepFromOthers,
  makeFolder,
  type SyncFailed,
  undefinedIfMissing,
} from '../disk/durable-file.ts';
import { refusedFile } from '../disk/refuse-file.ts';
import { errorCode } from '../error-code.ts';
import { teachFolding } from '../fold-text.ts';
import { type DatabaseLimits, defaultDatabaseLimits, patientLimits } from './database-limits.ts';
import { beginAndRun, outlastLock } from './database-lock.ts';
import { groupCommits, maxWorks } from './group-commit.ts';
import { countMigrated, type FindOldestNode, migrateDatabase, waitingMigrations } from './migrate-database.ts';
import { isPostgres, type Migration } from './migration.ts';
import { isSyncFailure, PreparedSqlite } from './prepared-sqlite.ts';

export type { Migration } from './migration.ts';
export { isPostgres };
export type Database = Knex;
export type Transaction = Knex.Transaction;

/** The place of the database: a file path for SQLite, or a `postgres://` address. */
export type DatabaseAddress = { readonly file: string } | { readonly url: string };

/** Further options of opening a database. */
export interface OpenOptions {
  /** Is called when a sync of SQLite's file failed; PostgreSQL stops by itself. */
  readonly syncFailed?: SyncFailed;
  /** Is called before tables are made in an empty database; throws where the database should not have been empty. */
  readonly mayFound?: () => void;
  /** Is called before anything is changed; throws where no change is allowed. */
  readonly mayMigrate?: (db: Database) => Promise<void>;
  /** Is called before the tables of a database that has some are changed; what it throws leaves them as they are. */
  readonly beforeChange?: ((db: Database) => Promise<unknown>) | undefined;
  /** Finds the oldest process over the database, where there may be others. */
  readonly findOldest?: FindOldestNode;
  /** The limits of connections to PostgreSQL. */
  readonly limits?: DatabaseLimits;
}

/**
 * Opens the database and brings its tables up to date.
 * @throws Refusal `newer-database` for a database of a version too new, `unavailable` while another process holds it,
 *   `bad-configuration` while a process over it is too old
 */
export async function openDatabase(
  address: DatabaseAddress,
  migrations: readonly Migration[],
  options: OpenOptions = {},
): Promise<Database> {
  const { syncFailed = () => {}, mayFound = () => {}, findOldest = async () => undefined } = options;
  if ('file' in address && address.file !== ':memory:') {
    if (!(await holdsSomething(address.file))) mayFound();
    await keepPrivate(address.file);
  }
  const db = 'url' in address ? await openPostgres(address.url, options.limits) : openSqlite(address.file);
  db.on('query-error', (error: unknown) => {
    if (isSyncFailure(error)) syncFailed(error);
  });
  try {
    await withPatience(db, async (patient) => {
      await options.mayMigrate?.(patient);
      if ((await countMigrated(patient, migrations)) === 0) mayFound();
      else if ((await waitingMigrations(patient, migrations)).length > 0) await options.beforeChange?.(patient);
      await migrateDatabase(patient, migrations, findOldest);
    });
    if ('file' in address) await checkSqlite(db);
  } catch (error) {
    await db.destroy();
    throw ('file' in address ? refusedFile(error, address.file) : undefined) ?? error;
  }
  return db;
}

/**
 * Makes the file for its owner alone (T-13); SQLite gives the files next to it the same mode. A file that exists is not
 * opened: closing it again would end the locks that this process has on it.
 */
async function keepPrivate(file: string): Promise<void> {
  await makeFolder(dirname(file));
  await writeFile(file, '', { mode: 0o600, flag: 'wx' }).catch((error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw error;
  });
  for (const suffix of ['', '-wal', '-shm']) await keepFromOthers(file + suffix, 0o600).catch(undefinedIfMissing);
}

/**
 * Messages of errors show a statement with its placeholders, because its values may be content or sealed tokens (T-12).
 */
const compileSqlOnError = false;
/** Knex's warnings are dropped: the same problems are also thrown, and are logged where they are caught. */
const log = { warn: (): void => {} };

/** Loads the driver as well, which a service on SQLite does not need. */
async function openPostgres(url: string, limits: DatabaseLimits = defaultDatabaseLimits): Promise<Database> {
  const [{ default: pg }, { guardedPostgres }] = await Promise.all([import('pg'), import('./guarded-postgres.ts')]);
  // A bigint would arrive as text otherwise; every integer here stays below 2^53.
  pg.types.setTypeParser(pg.types.builtins.INT8, Number);
  return knex({
    client: guardedPostgres(limits),
    connection: { connectionString: url },
    pool: { min: 0, max: limits.connections },
    acquireConnectionTimeout: limits.waitMs,
    compileSqlOnError,
    log,
  });
}

/**
 * Runs work that may take long over connections of its own, whose statements have no limits: changes of tables and the
 * nightly clean-up. On SQLite there is one connection, and no limit.
 */
export async function withPatience<Result>(
  db: Database,
  work: (patient: Database) => Promise<Result>,
): Promise<Result> {
  if (!isPostgres(db)) return work(db);
  const patient = await openPostgres(db.client.config.connection.connectionString, patientLimits);
  try {
    return await work(patient);
  } finally {
    await patient.destroy();
  }
}

type SqliteHandle = Parameters<typeof teachFolding>[0] & { pragma(source: string): unknown; close(): void };

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
      afterCreate(handle: SqliteHandle, done: (error: Error | null, handle: SqliteHandle) => void) {
        try {
          prepareHandle(handle);
        } catch (error) {
          // The file is opened again when the lock is gone.
          handle.close();
          throw error;
        }
        done(null, handle);
      },
    },
  });
}

function prepareHandle(handle: SqliteHandle): void {
  // The driver itself never waits: no turn of the event loop is spent on another process's lock (T-68).
  // It also reopens a WAL file with synchronous=NORMAL, which loses acknowledged rows on power failure (FACT-01).
  for (const pragma of ['busy_timeout=0', 'journal_mode=WAL', 'synchronous=FULL', 'foreign_keys=ON']) {
    handle.pragma(pragma);
  }
  // A killed process may leave commits without a sync; they are synced before anybody reads them (INV-02).
  handle.pragma('wal_checkpoint');
  teachFolding(handle);
}

/** Reads the settings back, and refuses a database that would lose acknowledged rows (INV-01). */
async function checkSqlite(db: Database): Promise<void> {
  const rows: { synchronous: number }[] = await db.raw('pragma synchronous');
  if (rows[0]?.synchronous !== 2) throw refuse('unsafe-database');
}

const retriedCodes = new Set(['40001', '40P01']);

/**
 * The queue of each SQLite database. PostgreSQL has connections for several writers, and groups their commits itself.
 */
const queues = new WeakMap<Database, ReturnType<typeof groupCommits>>();

/**
 * Runs work in one transaction, and again when another process wrote in between or other work of the same commit
 * failed: it had no effect then. The work must use the transaction for every query and have no other effects.
 */
export function transact<Result>(db: Database, work: (trx: Transaction) => Promise<Result>): Promise<Result> {
  return queued(db, work, false);
}

/** Does the same as `transact` for work that nobody waits for: it prefers the next commit that is made anyway. */
export function transactPatiently<Result>(db: Database, work: (trx: Transaction) => Promise<Result>): Promise<Result> {
  return queued(db, work, true);
}

function queued<Result>(db: Database, work: (trx: Transaction) => Promise<Result>, patient: boolean): Promise<Result> {
  if (db.isTransaction === true || commitsAlone(db)) return transactAlone(db, work);
  const queue =
    queues.get(db) ?? groupCommits(db, (alone) => transactAlone(db, alone), db.client.config.mostIterations);
  queues.set(db, queue);
  return queue(work, patient);
}

/** Returns whether each piece of work has a commit of its own, as where several processes write. */
function commitsAlone(db: Database): boolean {
  return isPostgres(db) || db.client.config.commitsAlone === true;
}

/**
 * Does the same as `transact` in a commit of its own, for results that are acted on as soon as they are known. In a
 * shared commit, other work that makes the result untrue would be reported at the same moment.
 */
export async function transactAlone<Result>(
  db: Database,
  work: (trx: Transaction) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      // Inside of another transaction there is nothing to wait for: it holds the lock already, or is run again as a
      // whole.
      return await (db.isTransaction ? beginAndRun(db, work) : outlastLock(() => beginAndRun(db, work)));
    } catch (error) {
      if (attempt === 5 || !retriedCodes.has(errorCode(error))) throw error;
    }
  }
}

/**
 * Returns how many pieces of work frames may have under way at once, so that people always find a place: on SQLite as
 * many as share a commit, on PostgreSQL fewer than there are connections.
 */
export function worksAtOnce(db: Database): number {
  return isPostgres(db) ? Math.max(1, Math.floor(db.client.config.pool.max * 0.6)) : maxWorks;
}

/** Returns whether an insert failed because such a row exists. */
export function isUniqueViolation(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY' || code === '23505';
}
