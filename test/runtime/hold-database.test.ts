/** A database on PostgreSQL is kept to one service, or to nodes that know of each other; and notifications have to arrive. */
import pg from 'pg';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../runtime/clock.ts';
import { openDatabase } from '../../runtime/database.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { checkListening } from '../../runtime/nodes/check-listening.ts';
import { type DatabaseHold, type DatabaseUse, holdDatabase } from '../../runtime/nodes/hold-database.ts';
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

test('after a failure of the server it is held again, and whoever lost it is told', () =>
  withServer(async (server) => {
    let lost = 0;
    const first = await hold(server.url, 'alone', () => lost++);
    await server.fail();
    await until(() => isHeld(server.url), 'it is held again');
    assert.match(await refusalOf(hold(server.url, 'as a node')), /^PAPERGATE_NODE_NAME: /);
    assert.is(lost, 0);
    await first.release();
  }));

test('notifications arrive on a direct connection to the database of the rows, and to no other', () =>
  withServer(async ({ url }) => {
    const db = await openDatabase({ url }, []);
    try {
      await checkListening(url, 'DATABASE_URL', db, systemClock);
      await query(url, 'create database another');
      const another = new URL(url);
      another.pathname = '/another';
      const said = await refusalOf(checkListening(another.href, 'DATABASE_DIRECT_URL', db, systemClock));
      assert.match(said, /^DATABASE_DIRECT_URL: leads to the database "another", and DATABASE_URL to /);
    } finally {
      await db.destroy();
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

holdTest.run();
