/** One process among several: who does the single tasks, and whose claims are given back. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LeaseLost } from '../../cluster/cluster.ts';
import { ofGoneNode } from '../../cluster/nodes/gone-nodes.ts';
import { deadAfterMs } from '../../cluster/nodes/node-life.ts';
import { openNode } from '../../cluster/nodes/open-node.ts';
import type { Database } from '../../runtime/database/database.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { until } from '../gateway/world.ts';
import { nodeHub } from './node-hub.ts';
import { type SteppedClock, steppedClock, withNodeTables } from './nodes-world.ts';

const test = suite('this node');

async function nodeOf(db: Database, name: string, hub = nodeHub()) {
  const clock = steppedClock();
  const deps = { db, clock, logger: silentLogger, openChannel: hub.channel };
  const node = await openNode(deps, {
    id: `id-${name}`,
    name,
    version: '1',
    schema: 1,
    address: `http://${name}`,
  });
  return { ...node, clock };
}

/** Moves the time, and waits until both the heartbeat and the lease have asked again. */
async function elapses(clock: SteppedClock, ms: number): Promise<void> {
  clock.passes(ms);
  await until(() => clock.waiting().length >= 2, 'heartbeat and lease have asked');
}

/** Lets the lease's time run out by the database's clock. */
const runOut = (db: Database): Promise<unknown> => db('leases').update({ until_at: 1 });

test('one node does the single tasks; another takes over, and what the first one writes late is not written', () =>
  withNodeTables(async (db) => {
    const [a, b] = [await nodeOf(db, 'a'), await nodeOf(db, 'b')];
    await until(() => a.single.isOurs() || b.single.isOurs(), 'one of them does them');
    const [first, second] = a.single.isOurs() ? [a, b] : [b, a];
    assert.is(second.single.isOurs(), false);
    const write = (node: typeof a, name: string): Promise<string> =>
      node.single
        .transact(db, (trx) => trx('leases').insert({ name, holder: 'x', epoch: 1, until_at: 0 }))
        .then(
          () => 'written',
          (error: unknown) => (error instanceof LeaseLost ? 'lost' : String(error)),
        );
    assert.equal([await write(first, 'one'), await write(second, 'two')], ['written', 'lost']);
    let begun = 0;
    second.single.whenOurs(() => begun++);
    await runOut(db);
    await elapses(second.clock, 4_000);
    await until(() => second.single.isOurs(), 'the other one takes over');
    assert.is(begun, 1);
    assert.is(await write(first, 'three'), 'lost', 'it does not know yet');
    await second.drain();
    assert.is(second.single.isOurs(), false);
    await elapses(first.clock, 4_000);
    await until(() => first.single.isOurs(), 'it is given back');
    await first.leave();
    await second.leave();
    assert.equal(await db('nodes').pluck('id'), []);
  }));

test('a claim is a gone node’s when its row is gone; when its heartbeats ended only once this node is steady', () =>
  withNodeTables(async (db) => {
    const a = await nodeOf(db, 'a');
    await nodeOf(db, 'b');
    const gone = (claimed: string): Promise<boolean> =>
      db
        .select(db.raw('1 as it'))
        .from(db.raw('(select cast(? as text) as claimed_by) as claim', [claimed]))
        .whereRaw(ofGoneNode(db, 'claim.claimed_by', a))
        .then((rows) => rows.length > 0);
    assert.equal([await gone('id-a'), await gone('id-b'), await gone('id-c')], [false, false, true]);
    await db('nodes')
      .where({ id: 'id-b' })
      .decrement('heartbeat_at', deadAfterMs + 1_000);
    assert.is(await gone('id-b'), false, 'this node has not lived long enough to judge');
    for (let beat = 0; beat < 4; beat++) {
      await elapses(a.clock, 3_000);
      await until(() => a.clock.waiting().includes(3_000), 'the heartbeat is recorded');
    }
    assert.is(a.isSteady(), true);
    assert.is(await gone('id-b'), true);
    assert.is(await gone('id-a'), false);
    a.clock.passes(7_000);
    assert.is(a.isSteady(), false, 'its own heartbeat is late');
    assert.is(await gone('id-b'), false);
  }));

test('nodes that live and take work are those that others may prefer', () =>
  withNodeTables(async (db) => {
    const [a, b] = [await nodeOf(db, 'a'), await nodeOf(db, 'b')];
    const later = async () => {
      await elapses(a.clock, 3_000);
      await until(() => a.clock.waiting().includes(3_000), 'the heartbeat is recorded');
      return a.living();
    };
    assert.equal(await later(), ['id-a', 'id-b']);
    await b.drain();
    assert.equal(await later(), ['id-a']);
  }));

test.run();
