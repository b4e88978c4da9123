/**
 * Several nodes of the service over one database, behind a balancer: they are killed, paused and asked to end, and lose
 * the database or each other for a while.
 */

import { ChannelHub } from './channel-hub.ts';
import {
  type ClusterDeps,
  type ClusterState,
  cure,
  disturb,
  faultsMs,
  injectNodeFaults,
  type Member,
  pauseNode,
} from './inject-node-faults.ts';
import type { Chance } from './machine/chance.ts';
import { DatabaseAway } from './machine/database-away.ts';
import type { SimulatedProcess } from './machine/process.ts';
import { Turns } from './machine/turns.ts';
import { serviceNode } from './node.ts';
import { type NodeFaults, noNodeFaults } from './node-faults.ts';
import type { NodeSeat } from './node-seat.ts';
import type { Running, ServiceNode } from './service-node.ts';

/** Several nodes, which look like one service to everybody outside. */
export interface SimulatedCluster extends ServiceNode {
  readonly members: readonly Member[];
  readonly hub: ChannelHub;
  /** Makes the faults of nodes happen at these rates; none of them stops those that are under way. */
  setFaults(nodeFaults: NodeFaults): void;
  /** Reports that time leapt, after which every node has missed everything. */
  leapt(): void;
  readonly leaptAt: () => number;
  /** The moment at which a node last died, fell ill, or was well again. */
  readonly disturbedAt: () => number;
  /** How much longer than their steps take by themselves things may take, because the database lets nodes wait. */
  readonly slackMs: () => number;
}

/** The balancer checks every two seconds, and acts on what it saw twice. */
const balancerMs = 4_000;
const maxAheadMs = 7_000;
/** The longest pauses in the middle of work: sessions, leases and nodes are given up after about as long. */
const worstPausesMs = [6_000, 18_000, 40_000] as const;
/** The transactions, one after the other, by which a dead node's work is taken over. */
const stepsOfTakeOver = 8;

/** Puts the nodes together; nothing runs before `start`. */
export function openCluster(deps: ClusterDeps): SimulatedCluster {
  const { time, chance } = deps;
  let cluster: ClusterState | undefined;
  const hub = new ChannelHub({
    time,
    chance: chance.fork('channel'),
    nodeFaults: () => cluster?.nodeFaults ?? noNodeFaults,
  });
  cluster = {
    deps,
    members: [],
    hub,
    balancer: chance.fork('balancer'),
    nodeFaults: noNodeFaults,
    disturbedAt: time.now(),
    leaptAt: Number.NEGATIVE_INFINITY,
    hasStarted: false,
  };
  const turns = new Turns();
  for (let at = 1; at <= deps.nodes; at++) cluster.members.push(memberOf(cluster, turns, `node ${at}`));
  return facadeOf(cluster);
}

function memberOf(cluster: ClusterState, turns: Turns, name: string): Member {
  const { chance, time, machine, witness } = cluster.deps;
  const fork = (what: string): Chance => chance.fork(`${name} ${what}`);
  const waits = fork('waits');
  const pauses = fork('pauses');
  /** Pauses the process now and then between a question and its answer. */
  const mayPause = async (process: SimulatedProcess): Promise<void> => {
    const isRunning = member.machine.running()?.process === process;
    if (!isRunning || !pauses.happens(cluster.nodeFaults.pausesAtDatabase, 'paused at the database')) return;
    pauseNode(cluster, member, process, pauses.whole(1_000, pauses.pick(worstPausesMs)));
    await new Promise<void>((resolve) => process.run(resolve));
  };
  const wayFor = (process: SimulatedProcess): ReturnType<NodeSeat['way']> => ({
    async reach() {
      const { waitForDatabase, waitForDatabaseMs } = cluster.nodeFaults;
      const waitMs = waits.happens(waitForDatabase, 'waits for the database')
        ? waits.whole(1, waitForDatabaseMs)
        : member.isAway
          ? 100
          : 0;
      if (waitMs > 0) await new Promise<void>((resolve) => time.after(waitMs, () => process.run(resolve)));
      await mayPause(process);
      if (member.isAway && !process.dead) throw new DatabaseAway();
    },
    breaks() {
      if (!waits.happens(cluster.nodeFaults.commitBreaks, 'connection breaks under a commit')) return undefined;
      return { when: waits.hits(0.5) ? 'before' : 'after', error: new DatabaseAway() };
    },
  });
  const aheadMs = fork('clock').whole(-maxAheadMs, maxAheadMs);
  const seat: NodeSeat = { name, turns, hub: cluster.hub, aheadMs, way: wayFor, ...witness };
  const member: Member = {
    name,
    machine: serviceNode(machine(seat, fork)),
    isAway: false,
    illSince: undefined,
    illAt: Number.NEGATIVE_INFINITY,
  };
  member.machine.onDeath(() => {
    if (!member.isAway) member.illSince = undefined;
    disturb(cluster);
  });
  return member;
}

/** The nodes that work as they should. */
const wellOf = ({ members }: ClusterState): Running[] =>
  members.flatMap(({ machine, isAway }) => {
    const running = machine.running();
    const isWell =
      running !== undefined && !isAway && !running.process.isPaused && running.node.endsSince === undefined;
    return isWell ? [running] : [];
  });

/** Chooses the node for a frame or a caller: one that listens, unless the balancer has seen that it is ill. */
function reached({ members, balancer, deps }: ClusterState): Running | undefined {
  const since = deps.time.now() - balancerMs;
  const listening = members.flatMap(({ machine, illSince }) => {
    const running = machine.running();
    const isSeenIll = (illSince ?? running?.node.endsSince ?? Number.POSITIVE_INFINITY) < since;
    return running === undefined || isSeenIll ? [] : [running];
  });
  return listening.length === 0 ? undefined : balancer.pick(listening);
}

function facadeOf(cluster: ClusterState): SimulatedCluster {
  const { members, hub, deps, balancer } = cluster;
  const machines = members.map(({ machine }) => machine);
  const pick = (): ServiceNode => balancer.pick(machines);
  return {
    members,
    hub,
    running: () => wellOf(cluster)[0],
    reached: () => reached(cluster),
    upSince: () => (wellOf(cluster).length === members.length ? cluster.disturbedAt : undefined),
    async start() {
      for (const member of members) cure(cluster, member);
      const starting = machines.map((machine) => machine.start());
      // Later starts take time, and nobody moves the time on while this waits.
      if (!cluster.hasStarted) await Promise.all(starting);
      cluster.hasStarted = true;
    },
    crash: (awayMs) => pick().crash(awayMs),
    scheduleCrash(after, backAt) {
      for (const machine of machines) machine.scheduleCrash(after, backAt);
    },
    cancelCrash() {
      for (const machine of machines) machine.cancelCrash();
    },
    abandon() {
      for (const machine of machines) machine.abandon();
    },
    restart: () => pick().restart(),
    deaths: () => machines.reduce((sum, { deaths }) => sum + deaths(), 0),
    onDeath(listener) {
      for (const machine of machines) machine.onDeath(listener);
    },
    setFaults(nodeFaults) {
      cluster.nodeFaults = nodeFaults;
      if (nodeFaults !== noNodeFaults) deps.time.after(faultsMs, () => injectNodeFaults(cluster, nodeFaults));
    },
    leapt() {
      cluster.leaptAt = deps.time.now();
      disturb(cluster);
    },
    leaptAt: () => cluster.leaptAt,
    disturbedAt: () => cluster.disturbedAt,
    slackMs: () =>
      cluster.nodeFaults.waitForDatabase === 0 ? 0 : stepsOfTakeOver * cluster.nodeFaults.waitForDatabaseMs,
  };
}
