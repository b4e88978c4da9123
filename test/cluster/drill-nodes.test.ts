/** `papergate drill --kill-node` with two real nodes: one is killed, and the drill sees the other one take over. */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runCommand } from '../child-processes.ts';
import { papergateAlone } from '../cli/papergate.ts';
import { eventually } from '../journeys/world.ts';
import { longTest, unlessUnable } from '../some-times.ts';
import { startLoad } from './balanced-load.ts';
import { clusterProblem, withBalancedNodes } from './balanced-nodes.ts';

const drillTest = suite('drill of nodes');
const test = longTest(unlessUnable(drillTest, clusterProblem()));

test('a node is killed by the command, the other one has its tasks and frames, and the page says so', () =>
  withBalancedNodes({ nodes: 2 }, async (cluster) => {
    const [a, b] = cluster.nodes;
    assert.ok(a !== undefined && b !== undefined);
    const scratch = join(cluster.folder, 'scratch');
    await mkdir(scratch);
    const load = await startLoad(cluster, { frames: 3, pushEveryMs: 3_000, sleepMs: 1_000 });
    try {
      const holds = async (name: string) =>
        (await cluster.context.db('leases').join('nodes', 'nodes.id', 'leases.holder').where('nodes.name', name))
          .length;
      await eventually('the node has tasks', async () => (await holds('a')) > 0, 60_000);
      const isOffered = async () => (await cluster.context.db('uploads').distinct('serial')).length === 3;
      await eventually('every frame has a picture', isOffered, 240_000);
      await runCommand(b.env, 'backup', 'create');
      const page = join(cluster.folder, 'drill.html');
      const drill = (...args: string[]) => papergateAlone(b.env, 'drill', '--scratch', scratch, '--json', ...args);
      const ended = await drill('--out', page, '--kill-node', 'a', '--kill-with', `kill -9 ${a.pid()}`);
      assert.is(ended.code, 0, ended.stdout + ended.stderr);
      assert.not(a.isRunning());
      const { steps } = JSON.parse(ended.stdout);
      const results: string[] = steps.map(({ result }: { result: string }) => result);
      assert.equal(new Set(results), new Set(['ok']), ended.stdout);
      const [killed, tasks, frames, next] = steps.at(-1).findings;
      assert.is(killed, 'Node a was killed.');
      assert.match(tasks, /^(?:1[2-9]|[2-9]\d) s after its last heartbeat its tasks were those of node b\.$/);
      assert.match(frames, /^\d+ s after its last heartbeat [1-3] frames had been heard from by other nodes\.$/);
      assert.is(next, 'Start it again: nothing of it is needed.');
      const html = await readFile(page, 'utf8');
      for (const words of ['Kill node a', tasks, frames, '<th scope="col">Findings</th>'])
        assert.ok(html.includes(words));
      const alone = await drill('--kill-node', 'b');
      assert.match(alone.stderr, /^--kill-node: b is the only node that lives: its frames would have nobody\n/);
      assert.match((await drill('--kill-node', 'a')).stderr, /^--kill-node: no living node is named a\n/);
    } finally {
      await load.stop();
    }
  }));

drillTest.run();
