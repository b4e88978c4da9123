/**
 * Attacks a cluster of three nodes under load, and prints what was lost: `node --import tsx test/bench/cluster.ts [attack ...]`.
 * Attacks: `kills` (KILLS, 200, of random nodes, a node every KILL_EVERY_MS, 4000), `rolling` (all nodes restarted in turn,
 * three times), `upgrade` (all nodes in turn to a next release, which changes the tables), `paused` (a node stopped for 40 s and woken, three times), `database` (the server down for 30 s, then all
 * connections cut). Limits: nothing that was acknowledged is lost, no callback is lost, nothing is called synced that was
 * not on its glass, no push fails that is tried twice, no frame gives up a wake while a node is left, and the service is
 * back within 10 s after the database.
 */
import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type ClusterLoad, startLoad } from '../cluster/balanced-load.ts';
import { type BalancedNodes, type ClusterNode, withBalancedNodes } from '../cluster/balanced-nodes.ts';
import { upgradeInTurn } from '../cluster/next-release.ts';
import { eventually } from '../journeys/world.ts';
import { timeOfPostgres, timeOfProcess } from './processor-time.ts';

const kills = Number(process.env.KILLS ?? 200);
const killEveryMs = Number(process.env.KILL_EVERY_MS ?? 4_000);
const given = process.argv.slice(2);
let isWell = true;

/** One attack; it returns limits that it broke by itself. */
type Attack = (cluster: BalancedNodes, load: ClusterLoad) => Promise<readonly string[]>;

const attacks: Readonly<Record<string, Attack>> = {
  async kills({ nodes }) {
    const ready = new Set(nodes);
    const starting = new Map<ClusterNode, Promise<void>>();
    for (let killed = 0; killed < kills; ) {
      const target = nodes[randomInt(nodes.length)];
      // One node stays, so that somebody can answer; one that is just starting may be killed, too.
      if (target?.isRunning() === true && (ready.size > 1 || !ready.has(target))) {
        ready.delete(target);
        await target.signal('SIGKILL');
        killed++;
        // Whoever starts it already starts it again.
        if (!starting.has(target)) {
          const start = startAgain(target).then(() => {
            starting.delete(target);
            ready.add(target);
          });
          starting.set(target, start);
        }
      }
      await pause(killEveryMs);
    }
    await Promise.all(starting.values());
    return [];
  },
  async rolling({ nodes }) {
    const problems: string[] = [];
    for (let round = 0; round < 3; round++) {
      for (const node of nodes) {
        const code = await node.signal('SIGTERM');
        if (code !== 0) problems.push(`node ${node.name} ended with ${code}`);
        await startAgain(node);
        await pause(6_000);
      }
    }
    return problems;
  },
  upgrade: (cluster) => upgradeInTurn(cluster),
  async paused({ nodes }) {
    for (const node of nodes) {
      await node.signal('SIGSTOP');
      await pause(40_000);
      await node.signal('SIGCONT');
      await pause(10_000);
    }
    return [];
  },
  async database({ postgres }, load) {
    const problems: string[] = [];
    await postgres.fail(30_000);
    const backAt = Date.now();
    const before = load.counts().acknowledged.length;
    await eventually('a push is acknowledged', async () => load.counts().acknowledged.length > before, 60_000);
    const backMs = Date.now() - backAt;
    console.log(`  acknowledged again ${(backMs / 1000).toFixed(1)} s after the database was back (at most 10)`);
    if (backMs > 10_000) problems.push('the service was not back within 10 s');
    for (let round = 0; round < 5; round++) {
      const client = new pg.Client({ connectionString: postgres.url });
      await client.connect();
      await client.query('select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()');
      await client.end();
      await pause(5_000);
    }
    return problems;
  },
};

/** Starts a killed node, and again when it was killed while it started. */
async function startAgain(node: ClusterNode, release?: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await node.start(release);
    } catch (error) {
      const wasKilled = error instanceof Error && /ended with null/.test(error.message);
      if (!wasKilled || tries === 50) throw error;
    }
  }
}

/** Processor time of what outlives the attacks on nodes; each node takes its own along when it is killed. */
const used = ({ postgres, balancerPid }: BalancedNodes): number =>
  timeOfPostgres(postgres.url) + timeOfProcess(balancerPid);

async function play(name: string, attack: Attack): Promise<void> {
  await withBalancedNodes({ nodes: 3 }, async (cluster) => {
    const load = await startLoad(cluster, { frames: 12, pushEveryMs: 2_200, sleepMs: 1_000 });
    try {
      await pause(3_000);
      const began = Date.now();
      const usedBefore = used(cluster);
      const problems = [...(await attack(cluster, load))];
      const { acknowledged, failed, retried, wakes } = load.counts();
      const seconds = (Date.now() - began) / 1000;
      const cores = (used(cluster) - usedBefore) / 1e6 / seconds;
      const { lost, falselySynced, callbacksLost, slowestMs, synced, duplicates } = await load.reckon();
      console.log(
        `${name}: ${seconds.toFixed(0)} s, ${acknowledged.length} pushes acknowledged (${retried} at their second try), ` +
          `${failed.length} failed; ${wakes.served} wakes, ${wakes.lost} lost; lost ${lost.length}, falsely synced ` +
          `${falselySynced.length} of ${synced}, callbacks lost ${callbacksLost.length} (${duplicates} sent twice); ` +
          `slowest proof ${(slowestMs / 1000).toFixed(1)} s` +
          (name === 'database' ? '' : `; PostgreSQL and HAProxy took ${cores.toFixed(2)} of a core`),
      );
      const mayFail = name === 'database';
      if (!mayFail) problems.push(...failed, ...(wakes.lost > 0 ? [`${wakes.lost} wakes were lost`] : []));
      problems.push(...lost, ...falselySynced, ...callbacksLost);
      if (problems.length > 0) isWell = false;
      for (const problem of problems.slice(0, 20)) console.log(`  ${problem}`);
    } finally {
      await load.stop();
    }
  });
}

for (const name of given.length > 0 ? given : Object.keys(attacks)) {
  const attack = attacks[name];
  if (attack === undefined) throw new Error(`no attack ${name}: ${Object.keys(attacks).join(', ')}`);
  await play(name, attack);
}
console.log(isWell ? 'within the limits' : 'LIMITS BROKEN');
process.exitCode = isWell ? 0 : 1;
