import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findBrowser } from '../../api/browser/find-browser.ts';
import { tables } from '../../api/service/open/service-tables.ts';
import { freshMs, type Health, probeTimeoutMs, watchHealth } from '../../api/status/health.ts';
import { type ProbeDeps, serviceHealth } from '../../api/status/probes.ts';
import { unreadyReason } from '../../api/status/readiness.ts';
import { alone } from '../../cluster/alone.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { wordsOf } from '../../reasons/words.ts';
import type { Clock } from '../../runtime/clock.ts';
import { type Database, openDatabase } from '../../runtime/database/database.ts';
import { maxLockedMs } from '../../runtime/database/database-lock.ts';
import { withGateway } from '../gateway/world.ts';

const test = suite('health');

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** A clock whose shortest timers end at once, as late as the test sets; longer ones never do. */
function movedClock(): Clock & { passes(ms: number): void; late: number } {
  let now = 1_700_000_000_000;
  return {
    now: () => now,
    late: 0,
    after(delayMs, run) {
      if (delayMs > 1) return { cancel() {} };
      queueMicrotask(() => {
        now += this.late;
        run();
      });
      return { cancel() {} };
    },
    passes(ms) {
      now += ms;
    },
  };
}

/** Timers that never end, for what has to be there without them. */
const still = (clock: Clock): Clock => ({ now: clock.now, after: () => ({ cancel() {} }) });

const running = { browser: 'running', network: 'own', visits: 0, running: 0, waiting: 0 } as const;
const plenty = async () => 10 * 1024 ** 3;

async function withDatabase(run: (db: Database) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-health-'));
  const db = await openDatabase({ file: join(folder, 'papergate.sqlite') }, tables);
  try {
    await run(db);
  } finally {
    await db.destroy();
    await rm(folder, { recursive: true });
  }
}

function healthOf(deps: Partial<ProbeDeps> & Pick<ProbeDeps, 'db' | 'clock'>): Health {
  return serviceHealth({
    broker: () => undefined,
    mqttHost: '127.0.0.1',
    rendering: () => running,
    findBrowser: async () => {},
    freeBytes: plenty,
    sharesAddress: () => false,
    ...deps,
  });
}

const said = async (health: Health, kind: string) => {
  const found = await health.look(kind);
  return [found?.status, wordsOf(found?.reasons ?? [])].filter(Boolean).join(': ');
};

test('T-83: a service is not ready while nothing can be kept, and says why', () =>
  withDatabase(async (db) => {
    let free = await plenty();
    const broker = () => ({ ports: { tls: 1, plain: 2 } });
    const serving = { broker, state: () => 'serving' as const, cluster: alone };
    const deps = { db, clock: movedClock(), ...serving, freeBytes: async () => free };
    assert.is(await unreadyReason({ ...deps, clock: still(deps.clock) }), undefined);
    free = 1024;
    assert.is(await unreadyReason({ ...deps, clock: still(deps.clock) }), 'the disk of the data folder is full');
    free = await plenty();
    assert.is(await unreadyReason({ ...deps, clock: still(deps.clock) }), undefined);
  }));

test('A-19: database: ok, slow, nearly full, full, and down when it is gone', () =>
  withDatabase(async (db) => {
    const clock = movedClock();
    let free = await plenty();
    const health = healthOf({ db, clock: still(clock), freeBytes: async () => free });
    const now = async () => {
      clock.passes(freshMs);
      return said(health, 'database');
    };
    assert.is(await now(), 'ok');
    free = 100 * 1024 ** 2;
    assert.is(await now(), 'degraded: the disk of the data folder is nearly full');
    free = 1024;
    assert.is(await now(), 'down: the disk of the data folder is full');
    free = await plenty();
    const slowNow = (): number => {
      clock.passes(1_001);
      return clock.now();
    };
    const slow = healthOf({ db, clock: { ...still(clock), now: slowNow } });
    assert.is(await said(slow, 'database'), 'degraded: the database answers slowly');
    await db.destroy();
    assert.is(await now(), 'down: the database accepts no transactions');
    assert.is(await said(health, 'callbacks'), 'down: it cannot be checked');
    clock.passes(freshMs);
    assert.match(await said(health, 'epaper'), /^down: .*the database accepts no transactions/);
  }));

test("T-68: database: another process's lock is reported at once, as degraded, and as down when it stays", () =>
  withDatabase(async (db) => {
    const clock = movedClock();
    const health = healthOf({ db, clock: still(clock) });
    const now = async () => {
      clock.passes(freshMs);
      return said(health, 'database');
    };
    const other = new Sqlite(db.client.config.connection.filename, { timeout: 0 });
    try {
      other.exec('begin immediate');
      assert.is(await now(), 'degraded: another process holds the lock on the database');
      clock.passes(maxLockedMs);
      assert.is(await now(), 'down: another process holds the lock on the database');
      other.exec('commit');
      assert.is(await now(), 'ok');
    } finally {
      other.close();
    }
  }));

test('A-19: callbacks: ok, failing for an hour, piling up, and down when nobody sends them', () =>
  withDatabase(async (db) => {
    const clock = movedClock();
    const health = healthOf({ db, clock: still(clock) });
    await db.raw('pragma foreign_keys = off');
    let ids = 0;
    const waits = (dueInMs: number, ageMs = 0) => ({
      id: `event ${++ids}`,
      connection_id: 'c',
      generation: 1,
      request_id: 'r',
      state: 'synced',
      body: '{}',
      attempts: 1,
      due_at: clock.now() + dueInMs,
      created_at: clock.now() - ageMs,
    });
    const now = async () => {
      clock.passes(freshMs);
      return said(health, 'callbacks');
    };
    await db('callback_events').insert({ ...waits(0, dayMs), due_at: null });
    await db('callback_events').insert(waits(60_000));
    assert.is(await now(), 'ok', 'one that is done does not count, nor one that was just tried');
    await db('callback_events').insert(waits(600_000, hourMs));
    assert.is(await now(), 'degraded: a callback could not be delivered for an hour');
    await db.transaction(async (trx) => {
      for (let count = 0; count < 1_000; count += 50) {
        await trx('callback_events').insert(Array.from({ length: 50 }, () => waits(600_000)));
      }
    });
    assert.is(await now(), 'degraded: a callback could not be delivered for an hour; callbacks pile up');
    clock.passes(600_000 + 300_000);
    assert.is(await now(), 'down: callbacks that are due are not being sent');
  }));

test('A-19: mqtt and gateway: a real handshake; down when the broker is closed, does not answer, or its certificate ended', () =>
  withGateway(async ({ gateway, db, clock }) => {
    const deps = { db, clock: { now: clock.now, after: () => ({ cancel() {} }) } };
    const health = healthOf({ ...deps, broker: gateway.broker });
    assert.is(await said(health, 'mqtt'), 'ok');
    assert.is(await said(health, 'gateway'), 'ok');
    assert.is(await said(health, 'epaper'), 'ok');
    const load = { connected: 0, waiting: 250 };
    const ports = gateway.broker()?.ports ?? { tls: 0, plain: undefined };
    const busy = healthOf({ ...deps, broker: () => ({ load: () => load, ports }) });
    assert.is(await said(busy, 'gateway'), 'degraded: messages of frames wait to be recorded');
    assert.is(await said(busy, 'epaper'), 'degraded: messages of frames wait to be recorded');
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    const closed = typeof address === 'object' ? (address?.port ?? 0) : 0;
    await new Promise((resolve) => server.close(resolve));
    const dead = healthOf({ ...deps, broker: () => ({ load: () => load, ports: { tls: closed, plain: undefined } }) });
    assert.is(await said(dead, 'mqtt'), 'down: the broker does not answer');
    clock.passes(393 * dayMs);
    assert.is(await said(health, 'mqtt'), 'degraded: the certificate of the broker expires soon');
    clock.passes(5 * dayMs);
    assert.is(await said(health, 'mqtt'), 'down: the certificate of the broker has expired');
    await gateway.stop();
    clock.passes(freshMs);
    assert.is(await said(health, 'mqtt'), 'down: no broker is running');
    assert.is(await said(health, 'gateway'), 'down: it is not listening for frames');
    assert.match(await said(health, 'epaper'), /^down: it is not listening for frames; no broker is running$/);
  }));

test('A-19: rendering and api: a queue, an ended browser, a missing one; an event loop that is held up', () =>
  withDatabase(async (db) => {
    const clock = movedClock();
    let pool: ReturnType<ProbeDeps['rendering']> = running;
    let browserPath = process.execPath;
    const deps = { db, rendering: () => pool, findBrowser: () => findBrowser({ browserPath }) };
    const health = healthOf({ ...deps, clock: still(clock) });
    const now = async () => {
      clock.passes(freshMs);
      return said(health, 'rendering');
    };
    assert.is(await now(), 'ok');
    assert.match(wordsOf((await health.look('rendering'))?.note ?? []), /network of its own, without routes$/);
    pool = { ...running, network: 'shared' };
    assert.is(await now(), 'ok');
    assert.match(wordsOf((await health.look('rendering'))?.note ?? []), /behind the filtering proxy alone$/);
    pool = { ...running, waiting: 16 };
    assert.is(await now(), 'degraded: pages wait to be rendered');
    pool = { ...running, browser: 'resting', network: 'none' };
    assert.is(await now(), 'ok');
    assert.equal((await health.look('rendering'))?.note, reasonOf('browser-rests'));
    pool = { ...running, browser: 'not-running' };
    assert.is(await now(), 'degraded: the browser is not running; the next page starts it');
    browserPath = '/nowhere/chromium';
    assert.is(await now(), 'down: no browser was found');

    assert.is(await said(healthOf({ ...deps, clock }), 'api'), 'ok');
    clock.late = 501;
    assert.is(await said(healthOf({ ...deps, clock }), 'api'), 'degraded: it is busy and answers late');
  }));

test('probes are asked once for many who ask, again after some seconds, and never waited for in vain', async () => {
  let now = 0;
  const timers: (() => void)[] = [];
  const clock: Clock = {
    now: () => now,
    after(_delayMs, run) {
      timers.push(run);
      return { cancel() {} };
    },
  };
  let asked = 0;
  let answer: (found: { status: 'ok' }) => void = () => {};
  const probe = () => {
    asked++;
    return new Promise<{ status: 'ok' }>((resolve) => {
      answer = resolve;
    });
  };
  const health = watchHealth({ slow: probe }, clock);
  assert.is(await health.look('__proto__'), undefined);
  const both = [health.look('slow'), health.look('slow')];
  answer({ status: 'ok' });
  assert.equal(await Promise.all(both), [{ status: 'ok' }, { status: 'ok' }]);
  now += freshMs - 1;
  await health.look('slow');
  assert.is(asked, 1);
  now += 1;
  const hangs = health.look('slow');
  now += probeTimeoutMs;
  for (const ring of timers) ring();
  assert.equal(await hangs, { status: 'down', reasons: [reasonOf('no-answer')] });
  const stillHangs = health.look('slow');
  for (const ring of timers) ring();
  assert.is((await stillHangs)?.status, 'down');
  assert.is(asked, 2, 'one that hangs is not asked again meanwhile');
  answer({ status: 'ok' });
  assert.is((await health.look('slow'))?.status, 'ok');
});

test.run();
