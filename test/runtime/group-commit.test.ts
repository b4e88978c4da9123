/** Works that wait for SQLite's writer share a commit, and nothing else: one that fails takes no other with it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Database, openDatabase, transact, transactPatiently } from '../../runtime/database/database.ts';

const notes = {
  name: 'test-01',
  up: ['create table notes (id integer primary key, text text not null)'],
};

interface World {
  readonly db: Database;
  /** Statements that began or ended a transaction, in order. */
  readonly said: string[];
  readonly texts: () => Promise<string[]>;
}

async function withNotes(story: (world: World) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-'));
  const db = await openDatabase({ file: join(folder, 'notes.sqlite') }, [notes]);
  const said: string[] = [];
  db.on('query', ({ sql }: { sql: string }) => /^(BEGIN|COMMIT|ROLLBACK)/i.test(sql) && said.push(sql.slice(0, 5)));
  try {
    await story({ db, said, texts: async () => (await db('notes').orderBy('id').select('text')).map((r) => r.text) });
  } finally {
    await db.destroy();
    await rm(folder, { recursive: true });
  }
}

const write = (db: Database, text: string) =>
  transact(db, (trx) =>
    trx('notes')
      .insert({ text })
      .then(() => text),
  );

const test = suite('group commit');

test('works that arrive together are committed together, in their order, each with its own result', () =>
  withNotes(async ({ db, said, texts }) => {
    const results = await Promise.all(['one', 'two', 'three'].map((text) => write(db, text)));
    assert.equal(results, ['one', 'two', 'three']);
    assert.equal(said, ['BEGIN', 'COMMI']);
    assert.equal(await texts(), ['one', 'two', 'three']);
  }));

test('a work that nobody waits for rides along with one that comes later, and is done alone when none does', () =>
  withNotes(async ({ db, said, texts }) => {
    const insert = (trx: Database) => trx('notes').insert({ text: 'patient' });
    const patient = transactPatiently(db, insert);
    for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(said, [], 'it waits');
    await Promise.all([write(db, 'urgent'), patient]);
    assert.equal(said, ['BEGIN', 'COMMI']);
    assert.equal(await texts(), ['patient', 'urgent']);
    await transactPatiently(db, insert);
    assert.is((await texts()).length, 3);
  }));

test('a work that fails has changed nothing, and the others of its commit stand', () =>
  withNotes(async ({ db, texts }) => {
    const failing = transact(db, async (trx) => {
      await trx('notes').insert({ text: 'half done' });
      throw new Error('refused');
    });
    const ended = await Promise.allSettled([write(db, 'before'), failing, write(db, 'after')]);
    assert.equal(
      ended.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.equal(await texts(), ['before', 'after']);
  }));

test('nothing is reported before it is committed', () =>
  withNotes(async ({ db, said }) => {
    const told = write(db, 'first').then(() => said.at(-1));
    const later = transact(db, async (trx) => {
      await trx('notes').insert({ text: 'second' });
      return said.at(-1);
    });
    assert.equal(await told, 'COMMI');
    assert.equal(await later, 'BEGIN');
  }));

test('a queue goes on after a failure, and after a commit of as many works as fit', () =>
  withNotes(async ({ db, said, texts }) => {
    const bad = transact(db, () => Promise.reject(new Error('refused')));
    await bad.catch(() => {});
    said.length = 0;
    await Promise.all(Array.from({ length: 130 }, (_, at) => write(db, String(at))));
    assert.equal(said.filter((word) => word === 'COMMI').length, 3);
    assert.is((await texts()).length, 130);
  }));

test('a transaction that reads before it writes is not thrown out by another process that writes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-'));
  const file = join(folder, 'notes.sqlite');
  const [one, other] = [await openDatabase({ file }, [notes]), await openDatabase({ file }, [notes])];
  try {
    let meanwhile: Promise<string> | undefined;
    let tries = 0;
    await transact(one, async (trx) => {
      tries += 1;
      await trx('notes').first();
      // The other process is another connection here. It has tried once when this goes on (T-68).
      meanwhile = write(other, 'other');
      await sleep(100);
      await trx('notes').insert({ text: 'one' });
    });
    assert.is(tries, 1);
    await meanwhile;
    assert.equal(
      (await one('notes').orderBy('id').select('text')).map(({ text }) => text),
      ['one', 'other'],
    );
  } finally {
    await one.destroy();
    await other.destroy();
    await rm(folder, { recursive: true });
  }
});

test('a statement is prepared once, however often it runs', () =>
  withNotes(async ({ db }) => {
    const prepared: string[] = [];
    const connection = await db.client.acquireConnection();
    const prepare = connection.prepare.bind(connection);
    connection.prepare = (sql: string) => {
      prepared.push(sql);
      return prepare(sql);
    };
    await db.client.releaseConnection(connection);
    for (let at = 0; at < 5; at++) await db('notes').where({ id: at }).first();
    assert.is(prepared.length, 1);
  }));

test.run();
