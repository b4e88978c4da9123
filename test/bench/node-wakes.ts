/**
 * Prints what a wake costs one of two nodes against the only one: `node --import tsx test/bench/node-wakes.ts`. Frames wake
 * over TLS, behind the same balancer and over the same database, so many for each node, in turns with one node and with
 * two. The figures are processor time for each wake of everything that works for it: the nodes, PostgreSQL with all its
 * connections, and HAProxy; the middle one of ROUNDS (3), with the least and the greatest. FRAMES (40) and SECONDS (30)
 * may be given. Where every node has a core of its own and PostgreSQL those that it needs, two nodes carry
 * 2 * (time of nodes with one / with two) times the wakes of one, which should be at least 1.6.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { startLoad } from '../cluster/balanced-load.ts';
import { type BalancedNodes, withBalancedNodes } from '../cluster/balanced-nodes.ts';
import { spreadOf, timeOfPostgres, timeOfProcess } from './processor-time.ts';

const frames = Number(process.env.FRAMES ?? 40);
const seconds = Number(process.env.SECONDS ?? 30);
const rounds = Number(process.env.ROUNDS ?? 3);

/** Processor time of a wake in milliseconds, by who spent it, and how many wakes there were. */
interface Cost {
  readonly nodes: number;
  readonly postgres: number;
  readonly balancer: number;
  readonly perSecond: number;
}

const parts = ['nodes', 'postgres', 'balancer'] as const;

function spent({ nodes, postgres, balancerPid }: BalancedNodes): Readonly<Record<(typeof parts)[number], number>> {
  return {
    nodes: nodes.reduce((sum, { pid }) => sum + timeOfProcess(pid()), 0),
    postgres: timeOfPostgres(postgres.url),
    balancer: timeOfProcess(balancerPid),
  };
}

async function costOfWake(nodes: number): Promise<Cost> {
  let cost: Cost | undefined;
  await withBalancedNodes({ nodes }, async (cluster) => {
    const load = await startLoad(cluster, { frames: frames * nodes, pushEveryMs: 3_600_000, sleepMs: 300 });
    try {
      await pause(8_000);
      const [served, before] = [load.counts().wakes.served, spent(cluster)];
      await pause(seconds * 1_000);
      const [wakes, after] = [load.counts().wakes.served - served, spent(cluster)];
      const each = (part: (typeof parts)[number]): number => (after[part] - before[part]) / wakes / 1_000;
      cost = {
        nodes: each('nodes'),
        postgres: each('postgres'),
        balancer: each('balancer'),
        perSecond: wakes / seconds,
      };
    } finally {
      await load.stop();
    }
  });
  if (cost === undefined) throw new Error('nothing was measured');
  const told = parts.map((part) => `${part} ${cost?.[part].toFixed(2)}`).join(', ');
  console.log(`  ${nodes}: ${cost.perSecond.toFixed(0)} a second; ${told}`);
  return cost;
}

const measured = new Map<number, Cost[]>([
  [1, []],
  [2, []],
]);
for (let round = 0; round < rounds; round++) {
  for (const [nodes, costs] of measured) costs.push(await costOfWake(nodes));
}
for (const [nodes, costs] of measured) {
  const all = costs.map(({ nodes: own, postgres, balancer }) => own + postgres + balancer);
  const told = parts.map((part) => `${part} ${spreadOf(costs.map((cost) => cost[part]))}`).join(', ');
  console.log(
    `${nodes} ${nodes === 1 ? 'node' : 'nodes'}: ${spreadOf(costs.map(({ perSecond }) => perSecond))} wakes a second; ` +
      `ms of processor time each: ${told}, all ${spreadOf(all)}`,
  );
}
const gains = (measured.get(1) ?? []).map((one, at) => (2 * one.nodes) / (measured.get(2)?.[at]?.nodes ?? Number.NaN));
console.log(`with a core for each node two carry ${spreadOf(gains)} times the wakes of one (at least 1.6)`);
