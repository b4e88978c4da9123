/**
 * Parts of packages and of Node that nobody promises, and that the sources replace or reach into. When one of them
 * changes, this names it before anything misbehaves.
 */
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, get, IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { type AddressInfo, Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { Aedes } from 'aedes';
import knex from 'knex';
import pg from 'pg';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { commitsOf, PreparedSqlite } from '../../runtime/database/prepared-sqlite.ts';

const test = suite('private parts');
const read = createRequire(import.meta.url);

test('packages that are reached into are pinned, and installed as they were looked at', () => {
  const { dependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  for (const name of ['knex', 'aedes', '@koa/router']) {
    assert.match(dependencies[name] ?? '', /^\d+\.\d+\.\d+$/, `${name} is to be one version`);
  }
});

test('knex: its client for SQLite runs each query by _query, in a transaction too, and makes runners', async () => {
  const { prototype } = read('knex/lib/dialects/better-sqlite3') as { prototype: Record<string, unknown> };
  for (const [name, parameters] of [
    ['_query', 2],
    ['runner', 1],
  ] as const) {
    const part = prototype[name];
    assert.type(part, 'function', name);
    assert.is((part as (...all: unknown[]) => unknown).length, parameters, name);
  }
  const db = knex({ client: PreparedSqlite, connection: { filename: ':memory:' }, useNullAsDefault: true });
  try {
    await db.raw('create table things (at integer, isTrue integer)');
    const before = commitsOf(db) ?? Number.NaN;
    await db('things').insert({ at: new Date(5), isTrue: true });
    await db.transaction(async (trx) => {
      assert.is((trx.client as { transacting?: unknown }).transacting, true, 'a transaction has a client that says so');
      await trx('things').insert({ at: 6, isTrue: 0 });
    });
    assert.is(commitsOf(db), before + 2);
    assert.equal(await db('things').orderBy('at'), [
      { at: 5, isTrue: 1 },
      { at: 6, isTrue: 0 },
    ]);
  } finally {
    await db.destroy();
  }
});

test('knex: its transaction of SQLite gets its connection by _onAcquire, and ends by two functions that it keeps', () => {
  const { prototype } = read('knex/lib/dialects/sqlite3/execution/sqlite-transaction') as {
    prototype: Record<string, unknown>;
  };
  for (const [name, parameters] of Object.entries({
    _onAcquire: 2,
    begin: 1,
    commit: 2,
    rollback: 2,
    isCompleted: 0,
  })) {
    const part = prototype[name];
    assert.type(part, 'function', name);
    assert.is((part as (...all: unknown[]) => unknown).length, parameters, name);
  }
  const query = String(prototype.query);
  for (const part of ['this.trxClient', 'this._resolver(', 'this._rejecter(']) assert.ok(query.includes(part), part);
});

test('knex and pg: the client for PostgreSQL connects, queries and acquires where it is overridden', () => {
  const { prototype } = read('knex/lib/dialects/postgres') as { prototype: Record<string, unknown> };
  for (const name of ['_acquireOnlyConnection', '_query', 'validateConnection', 'acquireConnection']) {
    assert.type(prototype[name], 'function', name);
  }
  const { prototype: transaction } = read('knex/lib/dialects/postgres/execution/pg-transaction') as {
    prototype: { begin(this: { query(connection: unknown, sql: string): string }, connection: unknown): string };
  };
  assert.is(transaction.begin.call({ query: (_, sql) => sql }, undefined), 'BEGIN;');
  const { connection } = new pg.Client() as unknown as { connection: { stream: unknown } };
  assert.instance(connection.stream, Socket);
});

test('aedes: its persistence is asked at a subscription, and a client reads packets by its parser', async () => {
  const aedes = await Aedes.createBroker();
  const { persistence } = aedes as unknown as { persistence: Record<string, unknown> };
  for (const name of ['createRetainedStreamCombi', 'outgoingStream']) assert.type(persistence[name], 'function', name);
  const silent = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  const client = aedes.handle(silent as unknown as Socket, {} as IncomingMessage);
  const { _parser: parser } = client as unknown as { _parser: unknown };
  assert.instance(parser, EventEmitter);
  assert.ok((parser as EventEmitter).listenerCount('packet') > 0, 'it hears packets by an event');
  silent.destroy();
  await new Promise<void>((resolve) => aedes.close(resolve));
});

test('node: a stream asks for more by _read, and an answer that is the last closes by destroySoon', async () => {
  assert.type(IncomingMessage.prototype._read, 'function');
  assert.type((Socket.prototype as unknown as { destroySoon: unknown }).destroySoon, 'function');
  let closes = 0;
  const server = createServer((_request, response) => {
    const socket = response.socket as Socket;
    const own = socket.destroySoon.bind(socket);
    socket.destroySoon = () => {
      closes++;
      own();
    };
    response.writeHead(200, { connection: 'close' }).end('x');
    assert.is(Reflect.get(response, '_last'), true);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => get({ port, host: '127.0.0.1' }, (answer) => answer.resume().once('close', resolve)));
  await new Promise((resolve) => server.close(resolve));
  assert.is(closes, 1);
});

test.run();
