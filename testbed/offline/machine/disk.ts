/**
 * The storage of the machine: real SQLite in memory and durable folders, used by one process at a time, which may die
 * at any commit.
 */
import Sqlite from 'better-sqlite3';
import knex, { type Knex } from 'knex';
import { tables } from '../../../api/service/open/service-tables.ts';
import type { Database } from '../../../runtime/database/database.ts';
import { iterationsGathered } from '../../../runtime/database/group-commit.ts';
import { bringIn } from '../../../runtime/database/migration.ts';
import { PreparedSqlite } from '../../../runtime/database/prepared-sqlite.ts';
import { prepareToFollow } from './commit-log.ts';
import { backupsOf, type DiskBackups } from './disk-backups.ts';
import { type ModelledFolder, memoryFolder } from './memory-folder.ts';
import { countRealWork, type RealWork } from './real-work.ts';
import { Turns } from './turns.ts';

/** A process of the service. A dead process neither reads nor writes, and its promises never settle. */
export interface Process {
  dead: boolean;
}

/** Is called at each statement and each commit. */
export interface CommitWatch {
  /** Returns the wait of a statement or a file before the disk takes it; undefined for none. */
  delay(): Promise<void> | undefined;
  /** Is called when the process is about to commit; true ends the process here. */
  before(): boolean;
  /** Is called after a commit; true ends the process here. */
  after(): boolean;
  /**
   * Is called after a statement that finds rows and changes them outside of a transaction; true ends the process here. By
   * chance it ends before its next commit, which is the same.
   */
  changed?(): boolean;
  /**
   * Is called before each transaction and each statement outside of one: returns the time until the database takes it,
   * and rejects when it cannot be reached. A process that is alone has it at hand.
   */
  readonly reach?: (() => Promise<void>) | undefined;
  /** Returns whether no statement waits now: then plain SQL that commits nothing runs at once, as in the real service. */
  readonly atOnce?: (() => boolean) | undefined;
  /** Returns the error with which a commit ends whose connection broke: `before` nothing is written, `after` all is. */
  readonly breaks?: (() => { readonly when: 'before' | 'after'; readonly error: Error } | undefined) | undefined;
}

/** The connection that the service's database client uses, with a gate before each statement. */
interface Connection {
  readonly prepare: (sql: string) => Sqlite.Statement;
  /** Runs one statement in the name of a process. */
  readonly gate: (sql: string, run: () => Promise<unknown>) => Promise<unknown>;
  /** Undefined where plain SQL passes the gate as well. */
  readonly inTransaction?: boolean | undefined;
  readonly commitsWait?: true;
}

/**
 * A promise that never settles. Each caller gets its own, because a promise keeps everybody who waits for it in memory.
 */
const never = (): Promise<never> => new Promise(() => {});

/** The disk of one run after the other. */
export interface Disk extends DiskBackups {
  /** The database for reading from outside, between the statements of the service. */
  readonly sqlite: Sqlite.Database;
  readonly files: ModelledFolder;
  readonly pictures: ModelledFolder;
  /**
   * The number of statements and files so far, and of the iterations in which commits gather work: it grows with everything
   * a process does.
   */
  readonly progress: () => number;
  /** Opens the database for a process, which takes turns with the others of `turns`. */
  open(process: Process, watch: CommitWatch, turns?: Turns): Database;
  /** Rolls back what is not committed, as every crash does. */
  crash(): void;
  /** Makes this the database's own clock. */
  keepTime(now: () => number): void;
  /** Work of a process that takes real time. */
  readonly realWork: RealWork;
  /** Empties the disk. */
  wipe(): void;
}

/**
 * Creates a disk with all tables of the service.
 * @param file of a database with a write-ahead log; it is in memory when absent
 */
export async function createDisk(file = ':memory:'): Promise<Disk> {
  const sqlite = new Sqlite(file);
  for (const pragma of ['journal_mode=WAL', 'synchronous=OFF', 'foreign_keys=ON']) sqlite.pragma(pragma);
  const statements = new Map<string, Sqlite.Statement>();
  let steps = 0;
  const step = (): void => void steps++;
  const prepare = (sql: string): Sqlite.Statement => {
    const known = statements.get(sql) ?? sqlite.prepare(sql);
    statements.set(sql, known);
    return known;
  };
  const rollBack = (): void => void (sqlite.inTransaction && sqlite.exec('rollback'));
  let now = (): number => 0;
  sqlite.function('julianday', { deterministic: false }, (_when: unknown) => julianDay(now()));
  const open = openingOf(sqlite, { prepare, step, rollBack });
  const setUp = databaseOver({ prepare, gate: (_sql, run) => run() }, { process: { dead: false }, turns: new Turns() });
  for (const table of tables) if (table.declaredIn === undefined) await bringIn(setUp, table);
  const names = sqlite.prepare("select name from sqlite_master where type = 'table'").pluck().all() as string[];
  prepareToFollow(sqlite);
  const files = memoryFolder(step);
  const pictures = memoryFolder(step);
  return {
    sqlite,
    files,
    pictures,
    progress: () => steps + iterationsGathered(),
    open,
    crash: rollBack,
    realWork: countRealWork(),
    keepTime(clock) {
      now = clock;
    },
    wipe() {
      sqlite.exec('rollback; '.repeat(Number(sqlite.inTransaction)));
      sqlite.pragma('foreign_keys=OFF');
      for (const name of names) sqlite.exec(`delete from "${name}"`);
      sqlite.exec('delete from touched');
      sqlite.pragma('foreign_keys=ON');
      files.fill();
      pictures.fill();
    },
    ...backupsOf(sqlite, names, { files, pictures, now: () => now() }),
  };
}

/** The parts of the disk that every process over it uses. */
interface DiskParts {
  readonly prepare: Connection['prepare'];
  readonly step: () => void;
  readonly rollBack: () => void;
}

/** Opens the database for processes, each with a gate that its statements pass. */
function openingOf(sqlite: Sqlite.Database, { prepare, step, rollBack }: DiskParts): Disk['open'] {
  return (process, watch, turns = new Turns()) => {
    async function commit(run: () => Promise<unknown>): Promise<unknown> {
      if (watch.before()) return never();
      const broken = watch.breaks?.();
      if (broken?.when === 'before') {
        rollBack();
        throw broken.error;
      }
      const result = await run();
      if (process.dead) return never();
      if (watch.after()) return never();
      if (broken !== undefined) throw broken.error;
      return result;
    }
    const isCalm = (): boolean => watch.atOnce?.() === true && !process.dead;
    async function gate(sql: string, run: () => Promise<unknown>): Promise<unknown> {
      step();
      if (process.dead) return never();
      if (!isCalm()) await watch.delay();
      if (process.dead) return never();
      const isWrite = /^(insert|update|delete) /.test(sql);
      const isCommit = sql.startsWith('COMMIT') || (isWrite && !sqlite.inTransaction);
      if (isCommit) return commit(run);
      const result = await run();
      const isChange = !sqlite.inTransaction && !process.dead && /^with .*\bupdate /s.test(sql);
      return isChange && watch.changed?.() === true ? never() : result;
    }
    const connection: Connection = {
      prepare,
      gate,
      commitsWait: true,
      get inTransaction() {
        if (!isCalm()) return undefined;
        step();
        return sqlite.inTransaction;
      },
    };
    return databaseOver(connection, { process, turns, reach: watch.reach });
  };
}

/** The service's own database client for SQLite, with a gate before each statement. */
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
 * Opens knex over one connection that exists already, which callers take one after the other. The pool of knex would do
 * the same, but with timers of the real machine, which outlive a dead process.
 */
function databaseOver(
  connection: Connection,
  {
    process,
    turns,
    reach,
  }: { readonly process: Process; readonly turns: Turns; readonly reach?: CommitWatch['reach'] },
): Database {
  const db = knex({
    client: GatedSqlite as unknown as typeof Knex.Client,
    connection: { filename: ':memory:' },
    useNullAsDefault: true,
    pool: { min: 0 },
    ...commitsFor(reach),
  });
  const take = (): Promise<Connection> => (process.dead ? never() : turns.take(process, connection));
  db.client.acquireConnection = (): Promise<unknown> =>
    reach === undefined ? turns.take(process, connection) : reach().then(take);
  db.client.releaseConnection = async (): Promise<void> => turns.give(process);
  return db;
}

/** How commits are made: all that could join one is there when time stands still, and nodes join none. */
function commitsFor(reach: CommitWatch['reach']): object {
  return reach === undefined ? { mostIterations: 1 } : { commitsAlone: true };
}

/** A time as SQLite counts days, in the middle of its millisecond: days are counted in fractions that are rounded. */
const julianDay = (now: number): number => 2_440_587.5 + (now + 0.3) / 86_400_000;
