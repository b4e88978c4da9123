/** A database on PostgreSQL is kept to one service, or to nodes that know of each other; and notifications have to arrive. */
import pg from 'pg';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../runtime/clock.ts';
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

test('notifications arrive on a direct connection', () =>
  withServer(async ({ url }) => {
    await checkListening(url, 'DATABASE_URL', systemClock);
  }));

holdTest.run();
