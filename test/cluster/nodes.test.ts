/** Two nodes behind HAProxy: a picture's way across them, a node that is killed, one that drains, and what is refused. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runCommand } from '../child-processes.ts';
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

test('T-23: on the port of downloads nobody is believed about the address of its client', () =>
  withBalancedNodes({ nodes: 1 }, async ({ downloads }) => {
    const guess = async (address: string): Promise<number> => {
      const headers = {
        'content-type': 'application/json',
        'x-papergate-console': '1',
        'x-forwarded-for': address,
        origin: downloads,
      };
      const body = JSON.stringify({ code: 'A'.repeat(43) });
      const answer = await fetch(`${downloads}/sessions/link`, { method: 'POST', headers, body });
      await answer.arrayBuffer();
      return answer.status;
    };
    const isServed = (): Promise<boolean> =>
      fetch(`${downloads}/live`).then(
        (answer) => answer.ok,
        () => false,
      );
    await eventually('the balancer has found the nodes that do not run', async () => {
      const answers = await Promise.all(Array.from({ length: 9 }, isServed));
      return answers.every((served) => served);
    });
    const statuses: number[] = [];
    for (let at = 1; at <= 12; at++) statuses.push(await guess(`203.0.113.${at}`));
    assert.is(statuses.filter((status) => status === 429).length, 2, `${statuses}: ten codes a minute, then no more`);
  }));

nodesTest.run();
