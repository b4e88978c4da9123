/** Checks of the promises that only several nodes have to keep, from what each of them really does. */

import type { SimulatedCluster } from './cluster.ts';
import type { Member } from './inject-node-faults.ts';
import type { Checker } from './machine/checker.ts';
import type { CommitLog } from './machine/commit-log.ts';
import type { SimulatedProcess } from './machine/process.ts';
import type { VirtualTime } from './machine/virtual-time.ts';
import type { Running } from './service-node.ts';

/** Checks what several nodes do. */
export interface NodeJudge {
  /** Begins to look at these nodes. */
  watchNodes(cluster: SimulatedCluster): void;
  /** Is called in each transaction of a single task, with the node that does it. */
  didSingleTask(id: string): void;
  /**
   * Is called when an attempt of a callback begins, and when its sender knows how it ended. `askedAt` is when the sender
   * began to ask if it may begin.
   */
  sending(eventId: string, process: SimulatedProcess, askedAt: number): void;
  sent(eventId: string, process: SimulatedProcess): void;
}

interface NodeJudgeDeps {
  readonly one: CommitLog['one'];
  readonly checker: Checker;
  readonly time: VirtualTime;
}

/** An attempt of a callback that is under way. */
interface Attempt {
  readonly process: SimulatedProcess;
  readonly since: number;
}

/** Everything that the judge remembers of the nodes. */
interface NodeJudgeState {
  readonly deps: NodeJudgeDeps;
  cluster: SimulatedCluster | undefined;
  readonly attempts: Map<string, Attempt[]>;
  /** The node of each epoch of the single tasks. */
  readonly epochs: Map<string, string>;
  /** Where each frame was connected at the last look. */
  before: ReadonlyMap<string, string>;
  /** The frames that nodes wrongly took for connected at the last look. */
  strays: ReadonlySet<string>;
}

const lookMs = 2_000;
/** The time for which a node that has just gone on may still end what it began before it was held up. */
const hurryMs = 5_000;
/** The time by which the work that a dead node had begun is given back. */
const takenOverMs = 20_000;
/** Sessions of which something was lost are known to all by then: they are published again. */
const agreedMs = 15_000;
/** The same where nothing was lost, after what came late has come, and for a node that has just begun, or was cut off from the others. */
const promptlyAgreedMs = 2_000;
/** The same for a node that was held up: it publishes its sessions at its next heartbeat. */
const backAgainMs = 5_000;
/**
 * A node that died without a word is forgotten by then: the others first have to be sure that they are not the late
 * ones.
 */
const forgottenMs = 25_000;

/** Opens the checks. */
export function openNodeJudge(deps: NodeJudgeDeps): NodeJudge {
  const judge: NodeJudgeState = {
    deps,
    cluster: undefined,
    attempts: new Map(),
    epochs: new Map(),
    before: new Map(),
    strays: new Set(),
  };
  return {
    watchNodes(cluster) {
      judge.cluster = cluster;
      const look = (): void => {
        lookAt(judge, cluster);
        deps.time.after(lookMs, look);
      };
      deps.time.after(lookMs, look);
    },
    didSingleTask: (id) => judgeSingleTask(judge, id),
    sending(eventId, process, askedAt) {
      judgeClaim(judge, eventId, process, askedAt);
      judgeAttempt(judge, eventId, process);
    },
    sent(eventId, process) {
      const others = judge.attempts.get(eventId)?.filter((one) => one.process !== process) ?? [];
      if (others.length === 0) judge.attempts.delete(eventId);
      else judge.attempts.set(eventId, others);
    },
  };
}

function lookAt(judge: NodeJudgeState, cluster: SimulatedCluster): void {
  judgeTakeOver(judge, cluster);
  judgeSessions(judge, cluster);
}

/** Checks that a task of which there is one is done by the node that holds its lease now (INV-77). */
function judgeSingleTask({ deps, epochs }: NodeJudgeState, id: string): void {
  const { one, checker, time } = deps;
  const own = one<{ name: string; epoch: number }>(
    'select name, epoch from leases where until_at > ? and holder = ?',
    time.now(),
    id,
  );
  const holder = () => one<{ holder: string }>('select holder from leases where until_at > ?', time.now())?.holder;
  checker.holds(own !== undefined, 'INV-77', () => `node ${id} does a single task, whose lease ${holder()} holds`);
  if (own === undefined) return;
  const epoch = `${own.name} ${own.epoch}`;
  checker.holds((epochs.get(epoch) ?? id) === id, 'INV-77', () => `two nodes do single tasks in epoch ${own.epoch}`);
  epochs.set(epoch, id);
}

/**
 * Checks that a node sends nothing that another one has claimed (INV-78), unless it was held up between its last look
 * and the first byte.
 */
function judgeClaim({ deps, cluster }: NodeJudgeState, eventId: string, process: SimulatedProcess, askedAt: number) {
  const { checker, one } = deps;
  const member = cluster && memberOf(cluster, process);
  if (cluster === undefined || member === undefined) return;
  if (Math.max(process.wentOnAt, member.illAt, cluster.leaptAt()) >= askedAt || member.isAway) return;
  const row = one<{ claimed_by: string | null }>('select claimed_by from callback_events where id = ?', eventId);
  const id = member.machine.running()?.node.cluster.id;
  const isClaimed = row?.claimed_by === id;
  checker.holds(isClaimed, 'INV-78', () => `${member.name} sends callback ${eventId}, which it has not claimed`);
}

/** Checks that no other node, as long as it works as it should, has the same callback under way (INV-78). */
function judgeAttempt({ deps, cluster, attempts }: NodeJudgeState, eventId: string, process: SimulatedProcess): void {
  const { checker, time } = deps;
  if (cluster === undefined) return;
  const others = (attempts.get(eventId) ?? []).filter((one) => !one.process.dead);
  const beside = others.find((one) => {
    const member = memberOf(cluster, one.process);
    const illAt = Math.max(one.process.wentOnAt, member?.illAt ?? 0, cluster.leaptAt());
    return illAt + hurryMs < one.since && !one.process.isPaused && member?.isAway !== true;
  });
  checker.holds(beside === undefined, 'INV-78', () => `callback ${eventId} is under way twice`);
  attempts.set(eventId, [...others, { process, since: time.now() }]);
}

const memberOf = (cluster: SimulatedCluster, process: SimulatedProcess): Member | undefined =>
  cluster.members.find(({ machine }) => machine.running()?.process === process);

/** The nodes that run and work as they should; undefined while any other one is ill. */
function wellNodes({ members }: SimulatedCluster): readonly Running[] | undefined {
  const well: Running[] = [];
  for (const { machine, isAway } of members) {
    const running = machine.running();
    if (running === undefined) continue;
    if (isAway || running.process.isPaused || running.node.endsSince !== undefined) return undefined;
    well.push(running);
  }
  return well;
}

/** Checks that nothing waits any longer for a node that died some time ago (INV-79). */
function judgeTakeOver({ deps }: NodeJudgeState, cluster: SimulatedCluster): void {
  const { one, checker, time } = deps;
  const well = wellNodes(cluster);
  const sinceMs = time.now() - cluster.disturbedAt();
  const boundMs = takenOverMs + cluster.slackMs();
  if (well === undefined || sinceMs < boundMs || well.every(({ since }) => time.now() - since < boundMs)) return;
  const living = well.flatMap(({ node }) => node.cluster.id ?? []);
  const marks = living.map(() => '?').join();
  for (const { table, where } of claims) {
    const left = one<{ node: string }>(
      `select claimed_by as node from ${table} where claimed_by not in (${marks}) and ${where}`,
      ...living,
    );
    checker.holds(left === undefined, 'INV-79', () => `a row of ${table} waits for node ${left?.node}, which is gone`);
  }
  const lease = one<{ name: string; holder: string }>(
    `select name, holder from leases where until_at > ? and holder not in (${marks})`,
    time.now(),
    ...living,
  );
  checker.holds(
    lease === undefined,
    'INV-79',
    () => `the lease "${lease?.name}" is kept by ${lease?.holder}, which is gone`,
  );
}

const claims = [
  { table: 'deliveries', where: "state = 'pending'" },
  { table: 'callback_events', where: 'due_at is not null' },
  { table: 'made_pictures', where: 'outcome is null' },
] as const;

/**
 * Checks that a frame is connected once, and that every node knows where (INV-80), where nothing has changed for long
 * enough.
 */
function judgeSessions(judge: NodeJudgeState, cluster: SimulatedCluster): void {
  const { before, deps } = judge;
  const { time, checker } = deps;
  const well = wellNodes(cluster);
  const places = new Map<string, string>();
  for (const [at, running] of (well ?? []).entries()) {
    for (const serial of running.fakeBroker?.serials() ?? []) {
      const place = `${at} ${running.fakeBroker?.sessionOf(serial)}`;
      places.set(serial, places.has(serial) ? `${places.get(serial)} and ${place}` : place);
    }
  }
  const strays = new Set<string>();
  const straysBefore = judge.strays;
  judge.before = places;
  judge.strays = strays;
  const now = time.now();
  const { disturbedAt, hub, slackMs } = cluster;
  const isHeard = now - Math.max(hub.brokenAt, hub.lateUntil) >= promptlyAgreedMs && now - hub.lostAt >= agreedMs;
  const quietMs = now - disturbedAt();
  if (well === undefined || !isHeard || quietMs < backAgainMs + slackMs()) return;
  for (const [serial, place] of places) {
    if (before.get(serial) !== place) continue;
    checker.holds(!place.includes('and'), 'INV-80', () => `${serial} is connected twice: ${place}`);
    for (const [at, { node, since }] of well.entries()) {
      if (now - since < promptlyAgreedMs) continue;
      const known = node.registry()?.whereIs(serial);
      const [where, session] = place.split(' ').map(Number);
      const knows = known !== undefined && known.session === session && known.here === (where === at);
      checker.holds(knows, 'INV-80', () => `${node.name} does not know that ${serial} is at node ${where}`);
    }
  }
  for (const { node, since } of well) {
    if (now - since < forgottenMs || quietMs < forgottenMs) continue;
    for (const serial of node.registry()?.everyone() ?? []) {
      const stray = `${node.name} takes ${serial} for connected in session ${node.registry()?.whereIs(serial)?.session}`;
      if (!places.has(serial)) strays.add(stray);
      checker.holds(places.has(serial) || !straysBefore.has(stray), 'INV-80', () => stray);
    }
  }
}
