/** The outboxes of several nodes: each event once while all live, at least once and with the same id when one dies. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createOutbox } from '../../api/callbacks/drain-outbox.ts';
import { claimEvents, dueConnections } from '../../api/callbacks/due-events.ts';
import { oweCallback } from '../../api/callbacks/owe-callback.ts';
import type { Attempt } from '../../api/callbacks/send-callback.ts';
import { requestTimeoutMs } from '../../api/outgoing/request-once.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { isPostgres } from '../../runtime/database/database.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { type ClusterInHand, type Core, heldOpen, untilHolds, withCluster } from '../delivery/cluster-world.ts';
import type { LineWorld } from '../delivery/delivery-world.ts';
import { sealKey } from '../integration/integration-world.ts';

const test = suite('several outboxes');

const hourMs = 3_600_000;

/** So many events that are due, of one connection. */
async function eventsDue(world: LineWorld, count: number): Promise<void> {
  const requestId = await world.submit('one');
  await world.db('callback_events').delete();
  const request = await world.db('content_requests').where({ id: requestId }).first();
  await world.db.transaction(async (trx) => {
    for (let at = 0; at < count; at++) {
      await oweCallback(trx, { request, state: 'available' }, world.clock.now(), world.random);
    }
  });
}

async function drain(...cores: readonly Core[]): Promise<void> {
  await Promise.all(cores.map(({ outbox }) => outbox.drain()));
  await Promise.all(cores.map(({ outbox }) => outbox.idle()));
}

const event = (world: LineWorld) =>
  world.db('callback_events').first('attempts', 'due_at', 'delivered_at', 'claimed_by', 'problem');

test('outboxes that drain at the same moment send each event once, and each of them has its part', () =>
  withCluster(3, async (world, { cores }) => {
    await eventsDue(world, 200);
    await drain(...cores);
    const sent = cores.flatMap((core) => core.sent);
    assert.is(sent.length, 200);
    assert.is(new Set(sent).size, 200);
    assert.ok(
      cores.every((core) => core.sent.length > 0),
      cores.map((core) => core.sent.length).join(' '),
    );
    assert.is((await world.db('callback_events').whereNull('delivered_at')).length, 0);
    assert.is((await world.db('callback_events').whereNotNull('claimed_by')).length, 0);
  }));

/** Makes 300 events due that the planner knows nothing of: it counted the rows when none was due. */
async function unforeseenEvents(world: LineWorld): Promise<void> {
  await eventsDue(world, 300);
  await world.db('callback_events').update({ due_at: null });
  if (isPostgres(world.db)) await world.db.raw('vacuum analyze callback_events');
  await world.db('callback_events').update({ due_at: world.clock.now() });
}

test('a claim takes no more events than it asks for, whatever the planner expects', () =>
  withCluster(2, async (world) => {
    await unforeseenEvents(world);
    const now = world.clock.now();
    for (const limit of [1, 2, 16, 64]) {
      const [connection] = await dueConnections(world.db, now);
      assert.ok(connection !== undefined);
      const claimed = await claimEvents(world.db, connection, { now, until: now + 60_000, by: 'n0', limit });
      assert.is(claimed.length, limit);
    }
    assert.is((await world.db('callback_events').where({ claimed_by: 'n0' })).length, 1 + 2 + 16 + 64);
  }));

test('a backlog that the planner did not expect is sent by all nodes, each event once', () =>
  withCluster(3, async (world, { cores }) => {
    await unforeseenEvents(world);
    await drain(...cores);
    const sent = cores.flatMap((core) => core.sent);
    assert.is(sent.length, 300);
    assert.is(new Set(sent).size, 300);
  }));

/** A database that gives more events than a claim asks for, as a planner did. */
function generous(db: LineWorld['db']): LineWorld['db'] {
  return new Proxy(db, {
    get(target, name) {
      // Without a client of its own every statement takes the way of `raw`.
      if (name === 'client') return Object.create(target.client);
      if (name !== 'raw') return Reflect.get(target, name);
      return (sql: string, bindings: readonly unknown[] = []) =>
        target.raw(sql.startsWith('with due') ? sql.replace(/limit \d+/, 'limit 300') : sql, bindings as string[]);
    },
  });
}

test('more events than slots end nothing: what has no slot stays due, and is sent in its turn', () =>
  withCluster(1, async (world, { cores: [first] }) => {
    await eventsDue(world, 300);
    const { clock, random, deps } = world;
    const sent: string[] = [];
    const outbox = createOutbox({
      db: generous(world.db),
      clock,
      random,
      sealKey,
      rules: deps.settings,
      logger: silentLogger,
      cluster: first.cluster,
      async send({ body }) {
        sent.push(JSON.parse(body).eventId);
        return { delivered: true, status: 204 };
      },
    });
    await outbox.drain();
    await outbox.idle();
    assert.is(sent.length, 300);
    assert.is(new Set(sent).size, 300);
    await outbox.stop();
  }));

/** An event that the first node is sending, and whose end is in the test's hand. */
async function beingSent(world: LineWorld, { cores }: ClusterInHand) {
  const [first, second] = cores;
  await eventsDue(world, 1);
  const held = heldOpen<Attempt>();
  first.send = () => held.until;
  const draining = drain(first);
  await untilHolds(() => first.sent.length === 1);
  return { first, second, held, draining };
}

test('while its node lives an event is nobody else’s; when it died another node sends the same, and its late end is refused', () =>
  withCluster(2, async (world, cluster) => {
    const { first, second, held, draining } = await beingSent(world, cluster);
    cluster.singleAt(second);
    await cluster.elapses(9_000);
    await drain(second);
    assert.equal(second.sent, [], 'it is being sent');
    await first.dies();
    await cluster.elapses(4_000);
    await drain(second);
    assert.equal(second.sent, first.sent, 'the same event');
    const ended = await event(world);
    assert.equal([ended.attempts, ended.due_at, ended.claimed_by], [1, null, null]);
    held.end({ delivered: false, problem: reasonOf('network') });
    await draining;
    assert.equal(await event(world), ended);
    world.clock.passes(hourMs);
    await drain(second);
    assert.is(second.sent.length, 1, 'it is over');
  }));

test('a late success of a node that died does not end what another one is sending', () =>
  withCluster(2, async (world, cluster) => {
    const { first, second, held, draining } = await beingSent(world, cluster);
    cluster.singleAt(second);
    const again = heldOpen<Attempt>();
    second.send = () => again.until;
    await first.dies();
    await cluster.elapses(4_000);
    const other = drain(second);
    await untilHolds(() => second.sent.length === 1);
    held.end({ delivered: true, status: 204 });
    await draining;
    assert.is((await event(world)).claimed_by, 'n1', 'its claim stands');
    again.end({ delivered: true, status: 204 });
    await other;
    assert.is((await event(world)).attempts, 1);
  }));

test('a node that was paused before the first byte sends nothing when it wakes', () =>
  withCluster(2, async (world, cluster) => {
    const [first, second] = cluster.cores;
    cluster.singleAt(second);
    await eventsDue(world, 1);
    const paused = heldOpen();
    let wasBegun: boolean | undefined;
    first.send = async ({ mayBegin }) => {
      await paused.until;
      wasBegun = await mayBegin();
      return { delivered: wasBegun, problem: 'not begun' } as Attempt;
    };
    const draining = drain(first);
    await untilHolds(() => first.sent.length === 1);
    await first.dies();
    await cluster.elapses(4_000);
    await drain(second);
    assert.is(second.sent.length, 1);
    const ended = await event(world);
    paused.end();
    await draining;
    assert.is(wasBegun, false);
    assert.equal(await event(world), ended);
  }));

test('an attempt that could end after its claim is not begun: another node may take the claim then', () =>
  withCluster(2, async (world, { cores: [first] }) => {
    await eventsDue(world, 1);
    const connecting = heldOpen();
    const begun: boolean[] = [];
    first.send = async ({ mayBegin }) => {
      if (begun.length === 0) await connecting.until;
      begun.push(await mayBegin());
      return { delivered: begun.at(-1) === true, status: 204, problem: 'not begun' } as Attempt;
    };
    const draining = drain(first);
    await untilHolds(() => first.sent.length === 1);
    world.clock.passes(3 * requestTimeoutMs + 1);
    connecting.end();
    await draining;
    assert.equal(begun, [false], 'the claim is held, and the attempt does not fit into what is left of it');
    world.clock.passes(requestTimeoutMs);
    await drain(first);
    assert.equal(begun, [false, true], 'the next claim has room');
    assert.is((await event(world)).attempts, 1);
  }));

test('a node that stops gives its claims back, and another one goes on at once', () =>
  withCluster(2, async (world, cluster) => {
    const [first, second] = cluster.cores;
    await eventsDue(world, 3);
    first.send = ({ signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve({ delivered: false, problem: reasonOf('service-stopping') }));
      });
    const draining = first.outbox.drain();
    await untilHolds(() => first.sent.length === 3);
    await draining;
    await first.outbox.stop();
    await drain(second);
    assert.equal([...second.sent].sort(), [...first.sent].sort());
    assert.equal(await world.db('callback_events').pluck('attempts'), [1, 1, 1], 'no attempt is counted for the stop');
  }));

test.run();
