/** Another process's lock on SQLite's file is waited for outside of the event loop, for a while. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Refusal } from '../../reasons/refusals.ts';
import { type Database, openDatabase, transact, transactAlone } from '../../runtime/database/database.ts';
import { maxLockedMs } from '../../runtime/database/database-lock.ts';
import { allRows, insertRow } from '../../runtime/database/plain-sql.ts';

const notes = {
  name: 'test-01',
  up: ['create table notes (id integer primary key, text text not null)'],
};

/** Another process, as far as SQLite's locks go: another connection. */
interface Other {
  lock(): void;
  unlock(): void;
}

async function withFile(story: (file: string, other: Other) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-'));
  const file = join(folder, 'notes.sqlite');
  const other = new Sqlite(file, { timeout: 0 });
  other.pragma('journal_mode=WAL');
  try {
    await story(file, { lock: () => other.exec('begin immediate'), unlock: () => other.exec('commit') });
  } finally {
    other.close();
    await rm(folder, { recursive: true });
  }
}

async function withNotes(story: (db: Database, other: Other) => Promise<void>): Promise<void> {
  await withFile(async (file, other) => {
    const db = await openDatabase({ file }, [notes]);
    try {
      await story(db, other);
    } finally {
      await db.destroy();
    }
  });
}

/** The longest that the event loop stood still meanwhile. */
async function maxStandstill(during: Promise<unknown>): Promise<number> {
  let isOver = false;
  const over = during.finally(() => {
    isOver = true;
  });
  let longest = 0;
  for (let last = performance.now(); !isOver; ) {
    await sleep(5);
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }
  await over;
  return longest;
}

/** Every way to write. */
const ways: Readonly<Record<string, (db: Database, text: string) => Promise<unknown>>> = {
  'a shared commit': (db, text) => transact(db, (trx) => insertRow(trx, 'notes', { text })),
  'a commit alone': (db, text) => transactAlone(db, (trx) => trx('notes').insert({ text })),
  'a statement of its own': (db, text) => db('notes').insert({ text }),
  'a plain statement of its own': (db, text) => insertRow(db, 'notes', { text }),
};

import { longTest } from '../some-times.ts';

const test = suite('database lock');

for (const [at, [name, write]] of Object.entries(ways).entries()) {
  const register = at === 0 ? test : longTest(test);
  register(`T-68: ${name} waits for another process’s lock while everything else goes on, and is made then`, () =>
    withNotes(async (db, other) => {
      await write(db, 'before');
      other.lock();
      let isWritten = false;
      const written = write(db, 'after').then(() => {
        isWritten = true;
      });
      const reading = async () => {
        for (let at = 0; at < 20; at++) {
          assert.is((await db('notes').select('text')).length, 1);
          assert.is((await allRows(db, 'select text from notes', [])).length, 1);
          await sleep(10);
        }
      };
      assert.ok((await maxStandstill(reading())) < 2_000, 'the event loop stood still');
      assert.not.ok(isWritten);
      other.unlock();
      await written;
      assert.equal(
        (await db('notes').orderBy('id')).map(({ text }) => text),
        ['before', 'after'],
      );
    }),
  );
}

test('T-68: what waits too long is refused with all that came meanwhile, and nothing of it happens later', () =>
  withNotes(async (db, other) => {
    other.lock();
    const from = performance.now();
    const writes = Object.values(ways).flatMap((write) => [write(db, 'one'), write(db, 'two')]);
    const ended = Promise.allSettled(writes);
    assert.ok((await maxStandstill(ended)) < 2_000, 'the event loop stood still');
    assert.ok(performance.now() - from < 2 * maxLockedMs, 'nobody waits twice');
    for (const result of await ended) {
      const refusal = result.status === 'rejected' ? result.reason : undefined;
      assert.instance(refusal, Refusal, String(refusal));
      assert.equal([refusal.code, refusal.retryAfterSeconds > 0], ['unavailable', true]);
    }
    other.unlock();
    await transact(db, (trx) => insertRow(trx, 'notes', { text: 'later' }));
    assert.equal(
      (await db('notes')).map(({ text }) => text),
      ['later'],
    );
  }));

test('T-68: no work runs before its transaction has begun', () =>
  withNotes(async (db, other) => {
    other.lock();
    let runs = 0;
    const work = (text: string) => async (trx: Database) => {
      runs += 1;
      await insertRow(trx, 'notes', { text });
    };
    const written = Promise.all([transact(db, work('shared')), transactAlone(db, work('alone'))]);
    await sleep(300);
    assert.is(runs, 0);
    other.unlock();
    await written;
    assert.is(runs, 2);
  }));

test('what is asked of a transaction that is over is done nowhere', () =>
  withNotes(async (db) => {
    let over: Database | undefined;
    await transact(db, async (trx) => {
      over = trx;
    });
    const late = await insertRow(over as Database, 'notes', { text: 'late' }).catch((error: Error) => error.message);
    assert.match(String(late), 'already complete');
    assert.equal(await db('notes'), []);
  }));

test('T-68: a work that had begun is run again as a whole', () =>
  withNotes(async (db) => {
    let runs = 0;
    await transact(db, async (trx) => {
      runs += 1;
      await insertRow(trx, 'notes', { text: `run ${runs}` });
      if (runs < 3) throw Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY_SNAPSHOT' });
    });
    assert.equal(
      (await db('notes')).map(({ text }) => text),
      ['run 3'],
    );
  }));

test('T-68: a database is opened, and its tables made, when the lock is gone; or refused in a sentence', () =>
  withFile(async (file, other) => {
    other.lock();
    const opened = openDatabase({ file }, [notes]);
    assert.ok((await maxStandstill(sleep(300))) < 2_000, 'the event loop stood still');
    other.unlock();
    const db = await opened;
    await db('notes').insert({ text: 'one' });
    await db.destroy();
    other.lock();
    const more = { name: 'test-02', up: ['create table more (id integer primary key)'] };
    const refusal = await openDatabase({ file }, [notes, more]).catch((error: unknown) => error);
    assert.instance(refusal, Refusal, String(refusal));
    assert.match(String(refusal), /Another process holds the lock/);
    other.unlock();
    const later = await openDatabase({ file }, [notes, more]);
    assert.equal(await later('more'), []);
    await later.destroy();
  }));

test.run();
