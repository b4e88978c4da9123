/** The outbox when receivers hang: those that answer are served at once, however many do not. */

import { setMaxListeners } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createOutbox, type Outbox } from '../../api/callbacks/drain-outbox.ts';
import { dueConnectionsSql, eventsSql } from '../../api/callbacks/due-events.ts';
import { oweCallback } from '../../api/callbacks/owe-callback.ts';
import type { Callback } from '../../api/callbacks/send-callback.ts';
import { shareSlots } from '../../api/callbacks/share-slots.ts';
import { alone } from '../../cluster/alone.ts';
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { isOnPostgres } from '../database.ts';
import { connect, push, sealKey, type World, withWorld } from '../integration/integration-world.ts';

const test = suite('slots of callbacks');

interface Played {
  readonly world: World;
  /** Begins what is due and waits until so many were sent in all. */
  drained(sentInAll: number): Promise<void>;
  readonly outbox: Outbox;
  /** Bodies that were sent, with the time. */
  readonly sent: { connectionId: string; state: string; at: number }[];
  /** Adds a connection with so many events. */
  add(events: number): Promise<string>;
  record(connectionId: string, state: 'available' | 'superseded', count: number): Promise<void>;
}

/** `hangs` returns which events are never answered. */
async function withPlayed(
  hangs: (event: { connectionId: string; state: string }) => boolean,
  run: (played: Played) => Promise<void>,
): Promise<void> {
  await withWorld(async (world) => {
    const { db, clock, random, deps } = world;
    const { after: later } = clock;
    const sent: Played['sent'] = [];
    const send = ({ body, signal }: Callback) => {
      const { connectionId, state } = JSON.parse(body);
      sent.push({ connectionId, state, at: clock.now() });
      if (!hangs({ connectionId, state })) return Promise.resolve({ delivered: true as const });
      return new Promise<{ delivered: false; problem: Reason }>((resolve) => {
        const end = () => resolve({ delivered: false, problem: reasonOf('answer-late', { seconds: 15 }) });
        later(15_000, end);
        setMaxListeners(0, signal);
        signal.addEventListener('abort', end);
      });
    };
    const outbox = createOutbox({
      db,
      clock,
      random,
      send,
      sealKey,
      rules: deps.settings,
      logger: silentLogger,
      cluster: alone,
    });
    const record: Played['record'] = async (connectionId, state, count) => {
      const request = await db('content_requests').where({ connection_id: connectionId }).first();
      await db.transaction(async (trx) => {
        for (let i = 0; i < count; i++) await oweCallback(trx, { request, state }, clock.now(), random);
      });
    };
    const add: Played['add'] = async (events) => {
      const connected = await connect(world, await world.addPerson('user'));
      await push(world, connected, { messageId: 'a', text: 'a' });
      await record(connected.connectionId, 'available', events);
      return connected.connectionId;
    };
    const drained: Played['drained'] = async (sentInAll) => {
      await outbox.drain();
      while (sent.length < sentInAll) await new Promise((resolve) => setImmediate(resolve));
    };
    try {
      await run({ world, outbox, sent, add, record, drained });
    } finally {
      await outbox.stop();
    }
  });
}

test('INV-62: five receivers that never answer, with hundreds of events, delay nobody else', async () => {
  const dead = new Set<string>();
  await withPlayed(
    ({ connectionId }) => dead.has(connectionId),
    async ({ world, drained, sent, add }) => {
      for (let i = 0; i < 5; i++) dead.add(await add(57));
      const { count } = (await world.db('callback_events').count({ count: '*' }))[0] as { count: number };
      await drained(count);
      const sentTo = (id: string) => sent.filter(({ connectionId }) => connectionId === id).length;
      for (const id of dead) assert.ok(sentTo(id) >= 57, `each event has its slot: ${sentTo(id)}`);
      world.clock.passes(1_000);
      const healthy = await add(1);
      // The newer content ends the paper's earlier request, which is an event, too.
      await drained(count + 3);
      assert.is(sentTo(healthy), 2);
    },
  );
});

test('INV-62: events of a connection that hang delay no other event of the same connection', async () => {
  await withPlayed(
    ({ state }) => state === 'superseded',
    async ({ world, drained, sent, add, record }) => {
      const id = await add(0);
      await record(id, 'superseded', 40);
      await drained(41);
      world.clock.passes(1_000);
      await record(id, 'available', 1);
      await drained(42);
      assert.equal(sent.at(-1), { connectionId: id, state: 'available', at: world.clock.now() });
    },
  );
});

test('a receiver that hangs all the time has few sockets for retries, and first attempts still get theirs', async () => {
  await withPlayed(
    () => true,
    async ({ world, outbox, drained, sent, add, record }) => {
      const id = await add(99);
      await drained(100);
      world.clock.passes(15_000);
      await outbox.idle();
      assert.is(sent.length, 100);
      world.clock.passes(60_000);
      await drained(104);
      await record(id, 'superseded', 10);
      await drained(114);
      const rows = await world.db('callback_events').where('due_at', '>', world.clock.now());
      assert.is(rows.length, 14, 'four retries at once, and every first attempt');
    },
  );
});

test('no number of slow connections takes a slot from a prompt one, and the last slots go to those who have none', () => {
  const slots = shareSlots();
  for (let i = 0; i < 2_000; i++) slots.took(`slow ${i}`, 15_000);
  const given = Array.from({ length: 2_000 }, (_, i) => [
    slots.take(`slow ${i}`, false),
    slots.take(`slow ${i}`, true),
  ]).flat();
  assert.is(given.filter((slot) => slot !== undefined).length, 256 + 64);
  const greedy = Array.from({ length: 1_000 }, (_, i) => slots.take(`greedy ${i % 4}`, false));
  assert.ok(greedy.filter((slot) => slot !== undefined).length < 512);
  for (let i = 0; i < 50; i++) assert.ok(slots.take(`new ${i}`, false) !== undefined);
  for (const slot of given) if (slot !== undefined) slots.give(slot);
  assert.is(slots.underWay('slow 0'), 0);
  slots.took('slow 0', 10);
  assert.is(slots.take('slow 0', true)?.pool, 'prompt', 'one quick answer makes it prompt again');
});

// How SQLite finds its way; PostgreSQL's planner looks at how much there is.
const testOnSqlite = isOnPostgres ? () => {} : test;

testOnSqlite('what is due is found by the index, whatever the backlog', async () => {
  await withWorld(async (world) => {
    for (const sql of [dueConnectionsSql, eventsSql(9)]) {
      const count = sql.split('?').length - 1;
      const plan: { detail: string }[] = await world.db.raw(`explain query plan ${sql}`, ['x', 1, 1].slice(0, count));
      const steps = plan.map(({ detail }) => detail).filter((step) => step.includes('callback_events'));
      assert.ok(
        steps.length > 0 && steps.every((step) => /^SEARCH .*callback_events_turns/.test(step)),
        steps.join('\n'),
      );
    }
  });
});

test.run();
