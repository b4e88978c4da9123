/**
 * Brings the tables of a database up to date while processes of the release before may be at work over it: what they can
 * work alongside is done at a start, what takes something from them waits until none of them lives.
 */
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { type Refusal, refuse } from '../../reasons/refusals.ts';
import { errorCode } from '../error-code.ts';
import { beginAndRun, outlastLock } from './database-lock.ts';
import { exceptFormer, replaceFormer } from './former-migrations.ts';
import { bringIn, isPostgres, type Migration, type MigrationKind } from './migration.ts';

/** A living process of the oldest release over the database: its name, and the number of the schema that is its own. */
export interface OldestNode {
  readonly name: string;
  readonly schema: number;
}

/** Finds the oldest of the processes that work over a database; undefined when there is none. */
export type FindOldestNode = (db: Knex) => Promise<OldestNode | undefined>;

/** A row of `migrations`. Rows of databases from before kinds were recorded have neither kind nor schema. */
interface Applied {
  readonly name: string;
  readonly kind?: MigrationKind | null;
  readonly schema?: number | null;
  readonly batch: number;
}

const table = 'migrations';
/** The first half of the numbers of all locks for changing tables. */
const lockClass = 1_346_981_448;
/** A change of a table waits this long for those who use it: all others who want to use it wait behind it. */
const lockTimeout = '2s';
/** Those who met let chance decide who comes first. */
const againMs = [50, 350] as const;
const retryAfterSeconds = 5;
/** A start waits this long for another one that changes the tables, and for work that keeps a table. */
const patienceMs = 60_000;
/** Codes of PostgreSQL for a lock that was not got in time, and for a deadlock. */
const lockCodes = new Set(['55P03', '40P01']);

/** Returns the number of the schema that a release makes. It also reads the one before. */
export function schemaOf(migrations: readonly Migration[]): number {
  return Math.max(1, ...migrations.map(numberOf));
}

const numberOf = ({ schema = 1 }: Migration): number => schema;
const kindOf = ({ kind = 'expand' }: Migration): MigrationKind => kind;

/**
 * Counts the migrations that the database has had.
 * @throws Refusal `newer-database` when this release cannot work alongside the one that made them
 */
export async function countMigrated(db: Knex, known: readonly Migration[]): Promise<number> {
  return (await readApplied(db, known)).length;
}

/**
 * Makes sure that this release can work over the database, and that nobody is just about to change that: for a process
 * that has just announced itself.
 * @throws Refusal `newer-database`
 */
export async function requireReadable(db: Knex, known: readonly Migration[]): Promise<void> {
  await underLock(db, (trx) => readApplied(trx, known));
}

/** Names the migrations that wait until no process of an older release lives. */
export async function waitingMigrations(db: Knex, known: readonly Migration[]): Promise<readonly string[]> {
  return pendingOf(known, await readApplied(db, known)).map(({ name }) => name);
}

/**
 * Runs the migrations that are due: every `expand`, and each `contract` that no living process is too old for.
 * @throws Refusal `newer-database`, `bad-configuration` while a process lives that is more than one release older,
 *   `unavailable` when others keep the tables
 */
export async function migrateDatabase(
  db: Knex,
  known: readonly Migration[],
  findOldest: FindOldestNode,
): Promise<void> {
  const applied = await readApplied(db, known);
  const due = dueOf(known, applied, await findOldest(db));
  if (due.length === 0 && applied.every(isRecorded)) return;
  // A kill leaves a new database empty. Tables that others use are changed one by one, so that each is locked only
  // briefly.
  const isWhole = applied.length === 0 || !isPostgres(db);
  let isDone = false;
  while (!isDone) {
    isDone = await underLock(db, async (trx) => {
      await prepareTable(trx, known);
      const done = await readApplied(trx, known);
      const next = nextOf(dueOf(known, done, await findOldest(trx)), isWhole, isPostgres(db));
      const batch = Math.max(0, ...done.map((row) => row.batch)) + 1;
      for (const migration of next) {
        const isMade = next.some(({ name }) => name === migration.declaredIn);
        if (!isMade) await bringIn(isOutside(migration, isPostgres(db)) ? db : trx, migration);
        await trx(table).insert({ ...rowOf(migration), batch, migration_time: new Date() });
      }
      return next.length === 0;
    });
  }
}

const isOutside = ({ outsideTransaction = false }: Migration, postgres: boolean): boolean =>
  outsideTransaction && postgres;

const rowOf = (migration: Migration) => ({
  name: migration.name,
  kind: kindOf(migration),
  schema: numberOf(migration),
});

/** Chooses the migrations that run in one transaction: what a table declares already comes with the table. */
function nextOf(due: readonly Migration[], isWhole: boolean, postgres: boolean): readonly Migration[] {
  const end = isWhole ? due.findIndex((migration) => isOutside(migration, postgres)) : 1;
  const first = due.slice(0, end === -1 ? undefined : Math.max(1, end));
  return due.filter((each) => first.includes(each) || first.some(({ name }) => name === each.declaredIn));
}

const isRecorded = ({ kind }: Applied): boolean => kind === 'expand' || kind === 'contract';

async function readApplied(db: Knex, known: readonly Migration[]): Promise<readonly Applied[]> {
  if (!(await db.schema.hasTable(table))) return [];
  const rows: Applied[] = exceptFormer(await db(table).orderBy('id').select('*'), known);
  const own = schemaOf(known);
  const names = new Set(known.map(({ name }) => name));
  for (const row of rows) if (!names.has(row.name)) requireHarmless(row, own);
  return rows;
}

/** Refuses a change that a newer release made, and alongside which this one would write wrongly. */
function requireHarmless({ name, kind, schema }: Applied, own: number): void {
  const what = 'The database is one of a newer version of papergate';
  if (kind === 'contract') {
    throw refuse('newer-database', { message: `${what}: "${name}" took from it what this version works with` });
  }
  if (kind !== 'expand' || typeof schema !== 'number') throw refuse('newer-database');
  if (schema <= own + 1) return;
  const message = `${what}: its schema is ${schema}, and this version works with ${own + 1} at most`;
  throw refuse('newer-database', { message });
}

/** Returns the migrations that the database has not had, in their order. */
function pendingOf(known: readonly Migration[], applied: readonly Applied[]): readonly Migration[] {
  const names = new Set(applied.map(({ name }) => name));
  return known.filter(({ name }) => !names.has(name)).sort((a, b) => numberOf(a) - numberOf(b));
}

function dueOf(known: readonly Migration[], applied: readonly Applied[], oldest: OldestNode | undefined) {
  const pending = pendingOf(known, applied);
  if (oldest === undefined) return pending;
  const own = schemaOf(known);
  if (oldest.schema < own - 1) throw tooOld(oldest, own);
  return pending.filter((migration) => kindOf(migration) === 'expand' || oldest.schema >= numberOf(migration));
}

function tooOld({ name, schema }: OldestNode, own: number): Refusal {
  return refuse('bad-configuration', {
    message: `node "${name}" works with schema ${schema}, and this version only alongside ${own - 1} and ${own}`,
    hint: 'upgrade all nodes to the release between first, or end the older ones: papergate nodes list shows them',
  });
}

/** Makes the table of migrations, or adds what those of older releases lack. */
async function prepareTable(trx: Knex, known: readonly Migration[]): Promise<void> {
  if (!(await trx.schema.hasTable(table))) {
    await trx.schema.createTable(table, (made) => {
      made.increments();
      made.string('name');
      made.integer('batch');
      made.timestamp('migration_time');
    });
  }
  if (!(await trx.schema.hasColumn(table, 'kind'))) {
    await trx.raw(`alter table ${table} add column kind text`);
    await trx.raw(`alter table ${table} add column schema integer`);
    await trx.raw('drop table if exists migrations_lock');
  }
  await replaceFormer(trx(table), known);
  const unrecorded = new Set<string>(await trx(table).whereNull('kind').pluck('name'));
  for (const migration of known) {
    const { name, ...recorded } = rowOf(migration);
    if (unrecorded.has(name)) await trx(table).where({ name }).update(recorded);
  }
}

/** Runs work in a transaction while nobody else changes tables, and again while others keep what it needs. */
async function underLock<Result>(db: Knex, work: (trx: Knex.Transaction) => Promise<Result>): Promise<Result> {
  if (!isPostgres(db)) return outlastLock(() => beginAndRun(db, work));
  const givenUpAt = performance.now() + patienceMs;
  for (;;) {
    const done = await beginAndRun(db, (trx) => workOfHolder(trx, work)).catch(unlessKept);
    if (done !== undefined) return done.result;
    if (performance.now() >= givenUpAt) throw refuseKept();
    await sleep(randomInt(...againMs));
  }
}

/**
 * Runs work while holding the lock; undefined when somebody else has it. Nobody waits for it within a statement: an
 * index that is made outside of a transaction waits for all statements that began before.
 */
async function workOfHolder<Result>(
  trx: Knex.Transaction,
  work: (trx: Knex.Transaction) => Promise<Result>,
): Promise<{ readonly result: Result } | undefined> {
  if (!(await isOnlyHolder(trx))) return undefined;
  await trx.raw(`set local lock_timeout = '${lockTimeout}'`);
  await trx.raw('set local statement_timeout = 0');
  // A change outside of the transaction leaves it without a statement for as long as it takes.
  await trx.raw('set local idle_in_transaction_session_timeout = 0');
  return { result: await work(trx) };
}

/**
 * Takes a lock that ends with the transaction, with a random number within the schema's range, and looks for those of
 * its own role: others who may take locks in this database keep nobody out (T-72). Of two that meet each sees the
 * other, and neither has it.
 */
async function isOnlyHolder(trx: Knex.Transaction): Promise<boolean> {
  const place = 'coalesce(hashtext(current_schema()), 0) & 65535';
  const number = `((${place}) << 16) | ${randomInt(65_536)}`;
  const taken = await trx.raw(`select pg_try_advisory_xact_lock(${lockClass}, ${number}) as taken`);
  if (taken.rows[0]?.taken !== true) return false;
  const others = await trx.raw(
    `select 1 from pg_locks as locks
     join pg_stat_activity as other on other.pid = locks.pid
     join pg_stat_activity as own on own.pid = pg_backend_pid()
     where locks.locktype = 'advisory' and locks.granted and locks.objsubid = 2
       and locks.database = (select oid from pg_database where datname = current_database())
       and locks.classid = ${lockClass}::oid and (locks.objid::bigint >> 16) & 65535 = (${place})
       and other.usesysid = own.usesysid and other.pid <> own.pid
     limit 1`,
  );
  return others.rows.length === 0;
}

function unlessKept(error: unknown): undefined {
  if (!lockCodes.has(errorCode(error))) throw error;
}

function refuseKept(): Refusal {
  const message = 'The tables of the database could not be changed: other work has kept them for a minute';
  const hint = 'start again: what was done so far stays. pg_stat_activity shows which transaction keeps them';
  return refuse('unavailable', { message, hint, retryAfterSeconds });
}
