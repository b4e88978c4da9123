/**
 * Prints what a wake costs one of two nodes against the only one: `node --import tsx test/bench/node-wakes.ts`. Frames wake
 * over TLS, behind the same balancer and over the same database, so many for each node, first with one node, then with
 * two; the figure is the processor time of all nodes for each wake. Where every node has a core of its own, two carry
 * 2 * (time with one / time with two) times the wakes of one, which should be at least 1.6.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { startLoad } from '../cluster/balanced-load.ts';
import { withBalancedNodes } from '../cluster/balanced-nodes.ts';

const frames = Number(process.env.FRAMES ?? 40);
const seconds = Number(process.env.SECONDS ?? 30);
const ticksPerSecond = 100;

/** The processor time of a process, in microseconds. */
function microseconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return ((Number(fields[11]) + Number(fields[12])) * 1_000_000) / ticksPerSecond;
}

async function costOfWake(nodes: number): Promise<number> {
  let cost = 0;
  await withBalancedNodes({ nodes }, async (cluster) => {
    const load = await startLoad(cluster, { frames: frames * nodes, pushEveryMs: 3_600_000, sleepMs: 300 });
    try {
      await pause(8_000);
      const used = (): number => cluster.nodes.reduce((sum, { pid }) => sum + microseconds(pid()), 0);
      const [before, usedBefore] = [load.counts().wakes.served, used()];
      await pause(seconds * 1_000);
      const wakes = load.counts().wakes.served - before;
      cost = (used() - usedBefore) / wakes;
      const each = `${cost.toFixed(0)} us of processor time each`;
      console.log(
        `${nodes} ${nodes === 1 ? 'node' : 'nodes'}: ${(wakes / seconds).toFixed(0)} wakes a second, ${each}`,
      );
    } finally {
      await load.stop();
    }
  });
  return cost;
}

const alone = await costOfWake(1);
const two = await costOfWake(2);
const times = (2 * alone) / two;
console.log(`two nodes carry ${times.toFixed(2)} times the wakes of one (at least 1.6)`);
console.log(times >= 1.6 ? 'within the limits' : 'LIMITS BROKEN');
process.exitCode = times >= 1.6 ? 0 : 1;
