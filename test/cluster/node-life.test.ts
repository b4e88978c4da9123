/** Nodes and their rows: names, heartbeats, clocks, and what a killed one leaves. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { deadAfterMs, joinNodes, type NodeLife, type NodeSeen, readNodes } from '../../cluster/nodes/node-life.ts';
import { refuse } from '../../reasons/refusals.ts';
import type { Database } from '../../runtime/database/database.ts';
import { silentLogger } from '../../runtime/logger.ts';
import { until } from '../gateway/world.ts';
import { type SteppedClock, steppedClock, withNodeTables } from './nodes-world.ts';

const test = suite('life of nodes');

interface Joined {
  readonly clock: SteppedClock;
  readonly life: NodeLife;
  readonly beats: (readonly NodeSeen[])[];
}

async function join(
  db: Database,
  name: string,
  id: string,
  clock = steppedClock(),
  requireReadable = async () => {},
): Promise<Joined> {
  const beats: (readonly NodeSeen[])[] = [];
  const beaten = (nodes: readonly NodeSeen[]): void => void beats.push(nodes);
  const deps = { db, clock, logger: silentLogger, beaten, requireReadable };
  const life = await joinNodes(deps, { id, name, version: '1.0.0', schema: 1, address: `http://${name}:3000` });
  return { clock, life, beats };
}

const states = async (db: Database): Promise<string[]> =>
  (await readNodes(db)).nodes.map(({ name, state }) => `${name} ${state}`);
/** Sets the last heartbeat of a node back. */
const age = (db: Database, name: string, ms: number): Promise<unknown> =>
  db('nodes').where({ name }).decrement('heartbeat_at', ms);

test('nodes see each other, one that drains, and one that died; one that leaves is gone', () =>
  withNodeTables(async (db) => {
    const first = await join(db, 'a', 'id-a');
    const second = await join(db, 'b', 'id-b');
    await second.life.drain();
    await first.clock.elapses(5_000);
    assert.equal(
      first.beats.at(-1)?.map(({ name, state }) => `${name} ${state}`),
      ['a alive', 'b draining'],
    );
    await age(db, 'b', deadAfterMs + 1_000);
    assert.equal(await states(db), ['a alive', 'b dead']);
    await second.clock.elapses(5_000);
    assert.equal(await states(db), ['a alive', 'b draining'], 'its next heartbeat brings it back');
    await first.life.leave();
    await second.life.leave();
    assert.equal(await states(db), []);
  }));

test('a name that a living node has is refused; one that a killed node left is taken over', () =>
  withNodeTables(async (db) => {
    const first = await join(db, 'a', 'id-1');
    const watching = steppedClock();
    const second = join(db, 'a', 'id-2', watching).then(
      () => 'joined',
      (error: Error) => error.message,
    );
    await until(() => watching.waiting().length > 0, 'it watches the other one');
    await first.clock.elapses(5_000);
    watching.passes(6_000);
    assert.is(await second, 'PAPERGATE_NODE_NAME: a node "a" runs already, at http://a:3000');
    const third = steppedClock();
    const taking = join(db, 'a', 'id-3', third);
    await until(() => third.waiting().length > 0, 'it watches what the first one left');
    third.passes(6_000);
    await taking;
    assert.equal(await db('nodes').pluck('id'), ['id-3']);
  }));

test('a node whose row was forgotten makes it again', () =>
  withNodeTables(async (db) => {
    const node = await join(db, 'a', 'id-1');
    await node.life.drain();
    await db('nodes').delete();
    await node.clock.elapses(5_000);
    assert.equal(await states(db), ['a draining']);
  }));

test('a node that was silent for long looks whether the tables still are what it works with, and ends where not', () =>
  withNodeTables(async (db) => {
    let looks = 0;
    let fault: Error | undefined;
    const node = await join(db, 'a', 'id-1', steppedClock(), async () => {
      looks++;
      if (fault !== undefined) throw fault;
    });
    const elapses = (ms: number): Promise<void> => node.clock.elapses(ms);
    for (let beat = 0; beat < 5; beat++) await elapses(5_000);
    assert.is(looks, 0, 'its heartbeats came in time');
    await elapses(deadAfterMs + 5_000);
    assert.is(looks, 1);
    await elapses(5_000);
    await db('nodes').delete();
    fault = new Error('the connection ended');
    await elapses(5_000);
    assert.is(looks, 2, 'its row had been removed');
    fault = refuse('newer-database', { message: 'too new' });
    await elapses(5_000);
    assert.is(looks, 3, 'what could not be answered is asked again');
    assert.is(await node.life.asked, fault);
  }));

test('a clock that is minutes off is refused with what to do, in both directions', () =>
  withNodeTables(async (db) => {
    for (const [offMs, words] of [
      [600_000, /^the clock of this machine is (599|600|601) s ahead of the database's$/],
      [-600_000, /^the clock of this machine is (599|600|601) s behind the database's$/],
    ] as const) {
      const clock = steppedClock();
      const { now } = clock;
      const wrong = { ...clock, now: () => now() + offMs };
      const problem = await join(db, 'a', 'id-1', wrong).then(
        () => 'joined',
        (error: Error) => error.message,
      );
      assert.match(problem, words);
    }
    const { life, clock } = await join(db, 'a', 'id-1');
    assert.ok(Math.abs(life.now() - clock.now()) < 10_000);
  }));

test.run();
