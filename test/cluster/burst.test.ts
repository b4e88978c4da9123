/** Three nodes and one connection that pushes 120 things at the same moment: its backlog of callbacks ends no node. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eventually } from '../journeys/world.ts';
import { longTest, unlessUnable } from '../some-times.ts';
import { type ClusterLoad, startLoad } from './balanced-load.ts';
import { type BalancedNodes, clusterProblem, withBalancedNodes } from './balanced-nodes.ts';

const burstTest = suite('burst of pushes');
const test = longTest(unlessUnable(burstTest, clusterProblem()));

const atOnce = 120;
/** A connection may push so often within a minute. Within the same second each node lets as much pass (docs/nodes.md). */
const perMinute = 30;
const noneLost = { lost: [], falselySynced: [], callbacksLost: [] };

/** Counts the events in the callbacks that came, for each state of a request, of the paper or of a frame. */
function told({ callbacks }: ClusterLoad): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { body } of callbacks.values()) {
    const what = [body.requestId, body.deviceId ?? 'paper', body.state].join(' ');
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return counts;
}

/**
 * Makes every callback due once more at the same moment, as `again` does for one. PostgreSQL counted the rows when nothing was
 * due: so it once claimed all of them with a limit of one.
 */
async function sendAllAgain({ context: { db } }: BalancedNodes): Promise<void> {
  await db.raw('vacuum analyze callback_events');
  await db('callback_events').update({ due_at: Date.now() });
  await eventually(
    'all are sent again',
    async () => (await db('callback_events').whereNotNull('due_at').first('id')) === undefined,
    60_000,
  );
}

test('120 pushes at once over three nodes end none, and every callback comes once', () =>
  withBalancedNodes({ nodes: 3 }, async (cluster) => {
    const { nodes } = cluster;
    const pids = nodes.map((node) => node.pid());
    const load = await startLoad(cluster, { frames: 6, sleepMs: 700 });
    try {
      await load.burst(atOnce);
      const { acknowledged, failed } = load.counts();
      assert.is(acknowledged.length + failed.length, atOnce);
      assert.equal([...new Set(failed.map((said) => said.replace(/^.*?: /, '')))], ['429 Too many requests']);
      assert.ok(acknowledged.length >= perMinute, `${acknowledged.length} were accepted`);
      await eventually(
        'the newest is on every frame',
        async () => [...told(load).keys()].filter((what) => what.endsWith(' synced')).length >= 6,
        60_000,
      );
      const { duplicates, ...lost } = await load.reckonUp();
      assert.equal(lost, noneLost);
      assert.is(duplicates, 0);
      const twice = [...told(load)].filter(([, count]) => count !== 1);
      assert.equal(twice, []);
      const newest = [...told(load).keys()].find((what) => what.endsWith(' synced'))?.split(' ')[0];
      const notOvertaken = acknowledged.filter(({ requestId }) => !told(load).has(`${requestId} paper superseded`));
      assert.equal(
        notOvertaken.map(({ requestId }) => requestId),
        [newest],
        'each push but the newest is told that it was overtaken',
      );
      const events = load.callbacks.size;
      await sendAllAgain(cluster);
      assert.equal(
        [load.callbacks.size, [...load.callbacks.values()].filter((event) => event.duplicates !== 1)],
        [events, []],
        'a backlog of all of them is sent once more, each event once',
      );
      assert.equal(
        nodes.map((node) => (node.isRunning() ? node.pid() : node.log().slice(-2_000))),
        pids,
      );
      assert.equal(
        nodes.flatMap((node) => node.log().match(/^.*"level":(?:50|60).*$/gm) ?? []),
        [],
      );
      console.log(`${acknowledged.length} of ${atOnce} were accepted, ${events} events came`);
    } finally {
      await load.stop();
    }
  }));

burstTest.run();
