/** Two nodes behind HAProxy go to the next release, one after the other, under load. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { longTest, unlessUnable } from '../some-times.ts';
import { startLoad } from './balanced-load.ts';
import { clusterProblem, withBalancedNodes } from './balanced-nodes.ts';
import { upgradeInTurn } from './next-release.ts';

const upgradeTest = suite('upgrade of nodes');
const test = longTest(unlessUnable(upgradeTest, clusterProblem()));

test('a cluster goes to the next release node by node, without a call that fails or a wake that is lost', () =>
  withBalancedNodes({ nodes: 2 }, async (cluster) => {
    const load = await startLoad(cluster, { frames: 6, pushEveryMs: 2_200, sleepMs: 700 });
    try {
      assert.equal(await upgradeInTurn(cluster), []);
      const { wakes, failed } = load.counts();
      assert.equal({ failed, lost: wakes.lost }, { failed: [], lost: 0 });
      const { lost, falselySynced, callbacksLost } = await load.reckon();
      assert.equal({ lost, falselySynced, callbacksLost }, { lost: [], falselySynced: [], callbacksLost: [] });
    } finally {
      await load.stop();
    }
  }));

upgradeTest.run();
