/** Two nodes behind HAProxy: a picture's way across them, a node that is killed, one that drains, and what is refused. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runCommand } from '../../cli/demo/children.ts';
import { eventually } from '../journeys/world.ts';
import { longTest, unlessUnable } from '../some-times.ts';
import { startLoad } from './balanced-load.ts';
import { clusterProblem, withBalancedNodes } from './balanced-nodes.ts';

const nodesTest = suite('nodes behind a balancer');
const test = longTest(unlessUnable(nodesTest, clusterProblem()));

test('pictures reach their frames while a node is killed, another drains, and both come back', () =>
  withBalancedNodes({ nodes: 2 }, async (cluster) => {
    const [a, b] = cluster.nodes;
    assert.ok(a !== undefined && b !== undefined);
    const load = await startLoad(cluster, { frames: 6, pushEveryMs: 2_200, sleepMs: 700 });
    try {
      const acknowledged = (more: number): Promise<unknown> => {
        const wanted = load.counts().acknowledged.length + more;
        return eventually('pushes are acknowledged', async () => load.counts().acknowledged.length >= wanted, 60_000);
      };
      await acknowledged(3);
      await a.signal('SIGKILL');
      await acknowledged(5);
      await a.start();
      await acknowledged(3);
      assert.is(await b.signal('SIGTERM'), 0);
      await acknowledged(3);
      await b.start();
      await acknowledged(3);
      const { wakes, failed } = load.counts();
      assert.equal(failed, []);
      assert.is(wakes.lost, 0, `${wakes.served} wakes were served`);
      const { lost, falselySynced, callbacksLost, synced } = await load.reckon();
      assert.equal({ lost, falselySynced, callbacksLost }, { lost: [], falselySynced: [], callbacksLost: [] });
      assert.ok(synced >= 6);
    } finally {
      await load.stop();
    }
    const names = await runCommand<{ name: string; state: string }[]>(a.env, 'nodes', 'list');
    assert.equal(
      names.map(({ name, state }) => `${name} ${state}`),
      ['a alive', 'b alive'],
    );
  }));

nodesTest.run();
