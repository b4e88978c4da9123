/** Limits and troubles of PostgreSQL on a server of the test's own: directly, and behind a pooler. */
import { setTimeout as pause } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Database, openDatabase, transact, withPatience, worksAtOnce } from '../../runtime/database/database.ts';
import { type DatabaseLimits, defaultDatabaseLimits } from '../../runtime/database/database-limits.ts';
import { databaseTroubleOf, refusedTrouble } from '../../runtime/database-trouble.ts';
import { poolerProblem, startPooler } from '../cluster/pooler.ts';
import { eventually } from '../journeys/world.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from '../postgres-server.ts';
import { longTest, unlessUnable } from '../some-times.ts';

const guarded = suite('guarded PostgreSQL');
const programs = postgresPrograms();
const problem =
  programs === undefined ? 'the programs of PostgreSQL are not here (apt-get install postgresql)' : undefined;
const test = longTest(unlessUnable(guarded, problem));
const testPooled = longTest(unlessUnable(guarded, problem ?? poolerProblem()));

const notes = { name: 'api-001-notes', up: ['create table notes (id text primary key)'] };
const shortLimits: DatabaseLimits = { connections: 4, waitMs: 300, statementMs: 700, lockMs: 400, idleMs: 300 };

type Open = (url: string, limits?: DatabaseLimits) => Promise<Database>;

async function withServer(run: (server: PostgresServer, open: Open) => Promise<void>) {
  const server = startPostgres(programs ?? '');
  const opened: Database[] = [];
  try {
    await run(server, async (url, limits = shortLimits) => {
      const db = await openDatabase({ url }, [notes], { limits });
      opened.push(db);
      return db;
    });
  } finally {
    for (const db of opened) await db.destroy();
    server.stop();
  }
}

const troubleIn = (work: PromiseLike<unknown>): Promise<string> =>
  Promise.resolve(work).then(
    () => 'none',
    (error: unknown) => databaseTroubleOf(error) ?? `no trouble: ${error}`,
  );

const shown = async (db: Pick<Database, 'raw'>, name: string): Promise<string> =>
  (await db.raw(`show ${name}`)).rows[0][name];

async function keepsLimits(db: Database): Promise<void> {
  const within = async (trx: Database): Promise<string[]> => {
    const found = [];
    for (const name of ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']) {
      found.push(await shown(trx, name));
    }
    return found;
  };
  assert.equal(await transact(db, within), ['700ms', '400ms', '300ms']);
  assert.is(await troubleIn(transact(db, (trx) => trx.raw('select pg_sleep(3)'))), 'database-too-slow');
  await withPatience(db, async (patient) => {
    assert.equal(await transact(patient, within), ['0', '0', '0']);
    await patient.raw('select pg_sleep(0.9)');
  });
}

test('limits hold for every statement, and not for patient work', () =>
  withServer(async ({ url }, open) => {
    const db = await open(url);
    await keepsLimits(db);
    assert.is(await troubleIn(db.raw('select pg_sleep(3)')), 'database-too-slow');
    assert.is(worksAtOnce(db), 2);
  }));

testPooled('behind a pooler, which refuses settings of a connection, each transaction brings its own', () =>
  withServer(async (server, open) => {
    const pooler = await startPooler(server);
    try {
      const db = await open(pooler.url);
      await keepsLimits(db);
      assert.is(await shown(db, 'statement_timeout'), '0', 'they do not stay on connections that others get');
    } finally {
      pooler.stop();
    }
  }),
);

test('a transaction that pauses loses its locks, is reported as lost, and leaves nothing half done', () =>
  withServer(async ({ url }, open) => {
    const db = await open(url);
    await db('notes').insert({ id: 'kept' });
    const paused = troubleIn(
      transact(db, async (trx) => {
        await trx('notes').where({ id: 'kept' }).update({ id: 'half done' });
        await pause(1_200);
        await trx('notes').insert({ id: 'after the pause' });
      }),
    );
    await eventually('somebody else has the row', async () =>
      transact(db, (trx) => trx('notes').where({ id: 'kept' }).update({ id: 'changed' })).catch(() => false as const),
    );
    assert.is(await paused, 'database-away');
    assert.equal(await db('notes').pluck('id'), ['changed']);
  }));

test('without a free connection work is refused in time', () =>
  withServer(async ({ url }, open) => {
    const db = await open(url, { ...shortLimits, statementMs: 60_000 });
    const four = (seconds: number) =>
      Promise.all(Array.from({ length: 4 }, () => troubleIn(db.raw('select pg_sleep(?)', [seconds]))));
    // All four connections are open first.
    while ((await four(0.05)).some((trouble) => trouble !== 'none'));
    let isFree = false;
    const holders = four(5).finally(() => (isFree = true));
    const error = await transact(db, (trx) => trx('notes')).catch((thrown: unknown) => thrown);
    assert.not.ok(isFree, 'it was refused while it had to wait');
    const refusal = refusedTrouble(error);
    assert.equal([refusal?.code, refusal?.message], ['unavailable', 'Every connection to the database is in use']);
    assert.ok((refusal?.retryAfterSeconds ?? 0) > 0);
    assert.equal(await holders, ['none', 'none', 'none', 'none']);
  }));

test('a connection that is silent, as one to a machine that is gone, is cut and replaced', () =>
  withServer(async ({ url }, open) => {
    const db = await open(url);
    const { pid }: { pid: number } = (await db.raw('select pg_backend_pid() as pid')).rows[0];
    process.kill(pid, 'SIGSTOP');
    try {
      const from = performance.now();
      assert.is(await troubleIn(transact(db, (trx) => trx('notes').insert({ id: 'said to nobody' }))), 'database-away');
      assert.ok(performance.now() - from < 8_000);
      assert.is(await troubleIn(transact(db, (trx) => trx('notes').insert({ id: 'said' }))), 'none');
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    assert.equal(await db('notes').pluck('id'), ['said']);
  }));

test('a server that only reads gets no more work from any connection, and the next one is asked', () =>
  withServer(async ({ url }, open) => {
    const db = await open(url);
    const backends = async (): Promise<unknown[]> =>
      (await Promise.all([1, 2, 3].map(() => db.raw('select pg_backend_pid() as pid, pg_sleep(0.05)')))).map(
        ({ rows }) => rows[0].pid,
      );
    const before = await backends();
    const admin = await open(url);
    // A connection of the administrator's that is kept, since new ones are refused.
    const keeper = await admin.client.acquireConnection();
    const tell = async (sql: string): Promise<void> => void (await keeper.query(sql));
    await tell('set default_transaction_read_only = off');
    await tell('alter system set default_transaction_read_only = on');
    await tell('select pg_reload_conf()');
    const write = (id: string) => troubleIn(db('notes').insert({ id }));
    await eventually('it takes no changes', async () => (await write(`${performance.now()}`)) === 'database-read-only');
    assert.is(await troubleIn(db('notes')), 'database-read-only', 'a new connection is refused');
    await tell('alter system set default_transaction_read_only = off');
    await tell('select pg_reload_conf()');
    await eventually('it takes changes again', async () => (await write('again')) === 'none');
    for (const pid of await backends()) assert.not(before.includes(pid), 'no connection from before is used');
    await admin.client.releaseConnection(keeper);
  }));

test('what a full disk, too many connections and a stopped server are called', () =>
  withServer(async (server, open) => {
    const db = await open(server.url);
    const raise = (code: string) => troubleIn(db.raw(`do $$ begin raise sqlstate '${code}'; end $$`));
    const named = {
      '53100': 'database-full',
      '53300': 'database-busy',
      '57P03': 'database-away',
      '08006': 'database-away',
      '55P03': 'database-too-slow',
    };
    for (const [code, trouble] of Object.entries(named)) assert.is(await raise(code), trouble, code);
    assert.match(await raise('22012'), /^no trouble/);
    assert.is(
      databaseTroubleOf(Object.assign(new Error('an address of somebody else'), { code: 'ECONNREFUSED' })),
      undefined,
    );
    const back = server.fail(600);
    await eventually('it is away', async () => (await troubleIn(db('notes'))) === 'database-away');
    await back;
    await eventually('it is back', async () => (await troubleIn(db('notes'))) === 'none', 5_000);
    assert.is(
      defaultDatabaseLimits.lockMs > defaultDatabaseLimits.idleMs,
      true,
      'who waits for a paused process gets its lock',
    );
  }));

guarded.run();
