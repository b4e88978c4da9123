/** The faults of single nodes: what befalls them once a second, and how they recover from it. */

import type { ChannelHub } from './channel-hub.ts';
import type { Chance } from './machine/chance.ts';
import type { SimulatedProcess } from './machine/process.ts';
import type { VirtualTime } from './machine/virtual-time.ts';
import type { NodeFaults } from './node-faults.ts';
import type { NodeSeat } from './node-seat.ts';
import type { NodeDeps, Running, ServiceNode } from './service-node.ts';

export interface ClusterDeps {
  readonly nodes: number;
  /** Each node draws from the forks of its own. */
  readonly chance: Chance;
  readonly time: VirtualTime;
  /** Puts the machine with this seat together; `fork` opens draws of its own. */
  readonly machine: (seat: NodeSeat, fork: (name: string) => Chance) => NodeDeps;
  readonly note: (what: string) => void;
  readonly witness: Pick<NodeSeat, 'didSingleTask' | 'sessions'>;
}

/** One node, as its faults see it. */
export interface Member {
  readonly name: string;
  readonly machine: ServiceNode;
  /** True while the database cannot be reached from there. */
  isAway: boolean;
  /** The moment since which it does not work as it should; undefined while it does. */
  illSince: number | undefined;
  /** The last moment at which it did not. */
  illAt: number;
}

/** Everything that a cluster keeps. */
export interface ClusterState {
  readonly deps: ClusterDeps;
  readonly members: Member[];
  readonly hub: ChannelHub;
  readonly balancer: Chance;
  nodeFaults: NodeFaults;
  disturbedAt: number;
  leaptAt: number;
  hasStarted: boolean;
}

/** The time between two draws. */
export const faultsMs = 1_000;

/** Notes that a node died, fell ill, or was well again. */
export function disturb(cluster: ClusterState): void {
  cluster.disturbedAt = cluster.deps.time.now();
}

/** Injects faults once a second, for as long as these are the rates. */
export function injectNodeFaults(cluster: ClusterState, nodeFaults: NodeFaults): void {
  if (cluster.nodeFaults !== nodeFaults) return;
  const { balancer: chance, deps } = cluster;
  const aMinute = (rate: number, what: string): boolean => chance.happens((rate * faultsMs) / 60_000, what);
  for (const member of cluster.members) {
    const running = member.machine.running();
    if (aMinute(nodeFaults.killsPerMinute, `${member.name} is killed`)) member.machine.crash();
    else if (aMinute(nodeFaults.drainsPerMinute, `${member.name} is stopped`)) void member.machine.restart();
    else if (running === undefined) continue;
    else if (aMinute(nodeFaults.pausesPerMinute, `${member.name} is paused`))
      pauseNode(cluster, member, running.process, chance.whole(500, nodeFaults.pauseMs));
    else if (aMinute(nodeFaults.awayPerMinute, `${member.name} loses the database`))
      loseDatabase(cluster, member, chance.whole(500, nodeFaults.awayMs));
    else if (aMinute(nodeFaults.splitsPerMinute, `${member.name} is cut off`))
      split(cluster, member, running, chance.whole(500, nodeFaults.splitMs));
  }
  deps.time.after(faultsMs, () => injectNodeFaults(cluster, nodeFaults));
}

/** Pauses a process for this long. */
export function pauseNode(cluster: ClusterState, member: Member, process: SimulatedProcess, ms: number): void {
  const { time, note } = cluster.deps;
  if (process.isPaused || process.dead) return;
  note(`${member.name} paused for ${ms} ms`);
  process.pause();
  fallIll(cluster, member);
  time.after(ms, () => goOn(cluster, member, process));
}

function goOn(cluster: ClusterState, member: Member, process: SimulatedProcess): void {
  if (!process.isPaused || process.dead) return;
  cluster.deps.note(`${member.name} goes on`);
  process.goOn(cluster.deps.time.now());
  recoverFrom(cluster, member);
}

function loseDatabase(cluster: ClusterState, member: Member, ms: number): void {
  if (member.isAway) return;
  cluster.deps.note(`${member.name} loses the database for ${ms} ms`);
  member.isAway = true;
  fallIll(cluster, member);
  cluster.deps.time.after(ms, () => {
    if (!member.isAway) return;
    member.isAway = false;
    cluster.deps.note(`${member.name} has the database again`);
    recoverFrom(cluster, member);
  });
}

function split(cluster: ClusterState, member: Member, { process }: Running, ms: number): void {
  if (cluster.hub.isBroken(process)) return;
  cluster.deps.note(`${member.name} hears no other for ${ms} ms`);
  cluster.hub.break(process);
  cluster.deps.time.after(ms, () => cluster.hub.mend(process));
}

function fallIll(cluster: ClusterState, member: Member): void {
  member.illSince ??= cluster.deps.time.now();
  member.illAt = cluster.deps.time.now();
  disturb(cluster);
}

function recoverFrom(cluster: ClusterState, member: Member): void {
  if (!member.isAway && member.machine.running()?.process.isPaused !== true) member.illSince = undefined;
  member.illAt = cluster.deps.time.now();
  disturb(cluster);
}

/** Ends everything that ails a node. */
export function cure(cluster: ClusterState, member: Member): void {
  const running = member.machine.running();
  if (member.isAway) {
    member.isAway = false;
    recoverFrom(cluster, member);
  }
  if (running === undefined) return;
  goOn(cluster, member, running.process);
  cluster.hub.mend(running.process);
}
