/** A database on PostgreSQL is kept to one service, or to nodes that know of each other; and notifications have to arrive. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkListening } from '../../cluster/nodes/check-listening.ts';
import { type DatabaseHold, type DatabaseUse, holdDatabase } from '../../cluster/nodes/hold-database.ts';
import { nodeMigrations } from '../../cluster/nodes/tables.ts';
import { systemClock } from '../../runtime/clock.ts';
import { openDatabase } from '../../runtime/database/database.ts';
import { requireReadable } from '../../runtime/database/migrate-database.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { systemRandom } from '../../runtime/random.ts';
import { papergate } from '../cli/papergate.ts';
import { until } from '../gateway/world.ts';
import { type PostgresServer, postgresPrograms, startPostgres } from '../postgres-server.ts';
import { longTest, unlessUnable } from '../some-times.ts';

const programs = postgresPrograms();
const holdTest = suite('hold of a database');
const test = longTest(
  unlessUnable(holdTest, programs === undefined ? 'no PostgreSQL programs are installed' : undefined),
);

async function withServer(run: (server: PostgresServer) => Promise<void>): Promise<void> {
  const server = startPostgres(programs ?? '');
  try {
    await run(server);
  } finally {
    server.stop();
  }
}

async function query(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

const hold = (url: string, use: DatabaseUse, lost = () => {}): Promise<DatabaseHold> =>
  holdDatabase({ url, clock: systemClock, logger: silentLogger, lost }, use);

/** Tells whether somebody holds the database, without trying to hold it. */
async function isHeld(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query("select 1 from pg_locks where locktype = 'advisory' and granted");
  await client.end();
  return rows.length > 0;
}

const refusalOf = (holding: Promise<unknown>): Promise<string> =>
  holding.then(
    () => 'held',
    (error: Error) => error.message,
  );

test('one service alone, or several nodes: never both, and what is released is free at once', () =>
  withServer(async ({ url }) => {
    const alone = await hold(url, 'alone');
    const [second, node] = await Promise.all([refusalOf(hold(url, 'alone')), refusalOf(hold(url, 'as a node'))]);
    assert.is(second, 'DATABASE_URL: another service runs over this database');
    assert.is(node, 'PAPERGATE_NODE_NAME: a service without a node name runs over this database');
    await alone.release();
    const nodes = [await hold(url, 'as a node'), await hold(url, 'as a node')];
    assert.is(await refusalOf(hold(url, 'alone')), 'DATABASE_URL: another service runs over this database');
    for (const one of nodes) await one.release();
    await (await hold(url, 'alone')).release();
  }));

test('services in two schemas of one database do not meet', () =>
  withServer(async ({ url }) => {
    const first = await hold(url, 'alone');
    const elsewhere = new URL(url);
    elsewhere.searchParams.set('options', '-csearch_path=pg_temp_of_another,information_schema');
    const second = await hold(elsewhere.href, 'alone');
    await Promise.all([first.release(), second.release()]);
  }));

test('after a failure of the server it is held again, and the process that lost it is notified', () =>
  withServer(async (server) => {
    let lost = 0;
    const first = await hold(server.url, 'alone', () => lost++);
    await server.fail();
    await until(() => isHeld(server.url), 'it is held again');
    assert.match(await refusalOf(hold(server.url, 'as a node')), /^PAPERGATE_NODE_NAME: /);
    assert.is(lost, 0);
    await first.release();
  }));

test('notifications arrive on a direct connection to the database of the rows', () =>
  withServer(async ({ url }) => {
    const db = await openDatabase({ url }, []);
    try {
      const deps = { db, clock: systemClock, random: systemRandom(systemClock) };
      await checkListening({ url, variable: 'DATABASE_URL' }, deps);
    } finally {
      await db.destroy();
    }
  }));

test('two addresses of two databases are refused before anything is made in either, of a service that is alone too', () =>
  withServer(async ({ url }) => {
    await query(url, 'create database another');
    const [folder, another] = [await mkdtemp(join(tmpdir(), 'papergate-hold-')), new URL(url)];
    another.pathname = '/another';
    const serving = (DATABASE_URL: string, DATABASE_DIRECT_URL: string, more = {}) =>
      papergate({ ...process.env, PAPERGATE_DATA: folder, DATABASE_URL, DATABASE_DIRECT_URL, ...more }, 'serve');
    try {
      const node = { PAPERGATE_NODE_NAME: 'a', PAPERGATE_SECRET_KEY: 'a1'.repeat(32) };
      for (const more of [{}, { ...node, PAPERGATE_PUBLIC_URL: 'http://127.0.0.1:1' }]) {
        const { code, stderr } = await serving(url, another.href, more);
        assert.match(stderr, /^DATABASE_DIRECT_URL: leads to the database "another", and DATABASE_URL to "postgres"/);
        assert.is(code, 1);
      }
      const nowhere = await serving(`${another.href.replace('/another', '/nowhere')}`, url);
      assert.match(nowhere.stderr, /^DATABASE_URL: the server has no database of this name/);
      assert.equal(
        (await readdir(folder)).filter((name) => name !== 'serve.lock'),
        [],
      );
      const db = await openDatabase({ url }, []);
      const made = await db.raw(
        "select tablename from pg_tables where schemaname = 'public' and tablename <> 'migrations'",
      );
      await db.destroy();
      assert.equal(made.rows, []);
    } finally {
      await rm(folder, { recursive: true });
    }
  }));

test('a neighbour of another role who takes all the locks that are seen, or waits for them, keeps nobody out', () =>
  withServer(async (server) => {
    const { url } = server;
    await query(url, "create role neighbour login password 'n'");
    const theirs = new URL(url);
    theirs.username = 'neighbour';
    theirs.password = 'n';
    const client = new pg.Client({ connectionString: theirs.href });
    await client.connect();
    try {
      const first = await hold(url, 'as a node');
      await client.query('select pg_advisory_lock(1346981447, hashtext(current_schema()))');
      const { rows } = await client.query(
        "select classid::bigint, objid::bigint from pg_locks where locktype = 'advisory'",
      );
      for (const { classid, objid } of rows) {
        const waiting = client.query(`select pg_advisory_lock(${classid}, ${objid | 0})`);
        waiting.catch(() => {});
      }
      const second = await hold(url, 'as a node');
      assert.match(await refusalOf(hold(url, 'alone')), /^DATABASE_URL: another service/, 'its own role counts');
      await Promise.all([first.release(), second.release()]);
      await (await hold(url, 'alone')).release();
    } finally {
      await client.end();
    }
  }));

test('T-72: nor do their locks keep anybody from looking at the tables or changing them', () =>
  withServer(async ({ url }) => {
    await query(url, "create role neighbour login password 'n'");
    const theirs = new URL(url);
    [theirs.username, theirs.password] = ['neighbour', 'n'];
    const client = new pg.Client({ connectionString: theirs.href });
    await client.connect();
    const db = await openDatabase({ url }, nodeMigrations);
    const own = await db.transaction();
    try {
      await client.query('select pg_advisory_lock(1346981448, hashtext(current_schema()))');
      await requireReadable(own, nodeMigrations);
      const { rows } = await client.query(
        "select classid::bigint, objid::bigint from pg_locks where locktype = 'advisory' and pid <> pg_backend_pid()",
      );
      assert.is(rows.length, 1);
      for (const { classid, objid } of rows) {
        client.query(`select pg_advisory_lock(${classid}, ${objid | 0})`).catch(() => {});
      }
      let isThrough = false;
      const second = requireReadable(db, nodeMigrations).then(() => (isThrough = true));
      await pause(1_000);
      assert.not.ok(isThrough, 'its own role counts');
      await own.commit();
      await second;
    } finally {
      await client.end();
      if (!own.isCompleted()) await own.rollback();
      await db.destroy();
    }
  }));

holdTest.run();
