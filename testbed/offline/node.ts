/** The machine that the service runs on: it starts the real core over the disk, and lets it die at a commit. */
import { createHash } from 'node:crypto';
import { forgetOldRows } from '../../api/retention/forget-old-rows.ts';
import { createCore } from '../../api/service/wire/core.ts';
import { takeUpRestored } from '../../gateway/after-restore.ts';
import { describeError } from '../../runtime/logger.ts';
import { isDatabaseAway } from './machine/database-away.ts';
import type { CommitWatch } from './machine/disk.ts';
import { type FakeBroker, openFakeBroker } from './machine/fake-broker.ts';
import { addresses, modelledOutside } from './machine/modelled-outside.ts';
import { clockOf, loggerOf, SimulatedProcess, whileAlive } from './machine/process.ts';
import { doSingleTask, takeSeat, unseated } from './node-seat.ts';
import type { NodeDeps, Running, ServiceNode } from './service-node.ts';

const dayMs = 86_400_000;

/** Everything that the machine keeps from one process to the next. */
interface NodeState {
  readonly deps: NodeDeps;
  readonly keys: { readonly seal: Uint8Array; readonly sign: Uint8Array };
  readonly exitListeners: Set<(process: SimulatedProcess) => void>;
  running: Running | undefined;
  /** The process that was started last, whether or not it still runs. */
  latest: SimulatedProcess | undefined;
  starting: boolean;
  deaths: number;
  scheduledCrash: { readonly after: 'any' | 'shown'; readonly backAt: number } | undefined;
}

/** Puts the machine together; nothing runs before `start`. */
export function serviceNode(deps: NodeDeps): ServiceNode {
  const node: NodeState = {
    deps,
    keys: { seal: derived('seal'), sign: derived('sign') },
    exitListeners: new Set(),
    running: undefined,
    latest: undefined,
    starting: false,
    deaths: 0,
    scheduledCrash: undefined,
  };
  return {
    running: () => node.running,
    reached: () => node.running,
    upSince: () => node.running?.since,
    start: () => start(node),
    crash(awayMs) {
      const process = deps.seat === undefined ? node.running?.process : node.latest;
      if (process?.dead === false) die(node, process, awayMs);
    },
    scheduleCrash(after, backAt) {
      node.scheduledCrash = { after, backAt };
    },
    cancelCrash() {
      node.scheduledCrash = undefined;
    },
    abandon() {
      node.latest?.die();
      deps.disk.crash();
    },
    restart: (awayMs) => restart(node, awayMs),
    deaths: () => node.deaths,
    onDeath: (listener) => void node.exitListeners.add(listener),
  };
}

async function start(node: NodeState): Promise<void> {
  if (node.running !== undefined || node.starting) return;
  node.starting = true;
  const process = new SimulatedProcess();
  node.latest = process;
  const running = await open(node, process).catch((error: unknown) => {
    // A node that cannot take its seat ends, and is started again.
    if (node.deps.seat === undefined) throw error;
    if (!process.dead) die(node, process, 1000);
    return undefined;
  });
  if (running === undefined) return;
  node.starting = false;
  if (process.dead) return;
  node.running = running;
  node.deps.note(`${nameOf(node)} started`);
  running.core.line.start();
  if (node.deps.watchesDeadlines) running.core.deadlines.start();
  housekeep(node, running);
  void running.node.cluster.asked.then(() => restart(node));
}

const nameOf = ({ deps }: NodeState): string => deps.seat?.name ?? 'service';

/** Opens the service in a process; none of its parts runs by itself yet. */
async function open(node: NodeState, process: SimulatedProcess): Promise<Running> {
  const { time, random, disk, complained, seat } = node.deps;
  const db = disk.open(process, commitWatch(node, process), seat?.turns);
  const logger = loggerOf(process, complained, isDatabaseAway);
  const seated =
    seat === undefined ? unseated(clockOf(process, time)) : await takeSeat(seat, process, { db, time, random, logger });
  const { clock, cluster } = seated;
  let fakeBroker: FakeBroker | undefined;
  const outside = modelledOutside(node.deps, process, (brokerDeps) => {
    fakeBroker = openFakeBroker(brokerDeps, {
      whenRunning: (what) => process.run(what),
      witness: seat?.sessions,
      process,
    });
    return fakeBroker;
  });
  if (disk.isRestored()) await takeUpRestored(db, { random, now: clock.now() });
  const core = await createCore({
    db,
    clock,
    random,
    keys: node.keys,
    files: disk.files,
    logger,
    ...outside,
    cluster,
    at: () => heldUp(node, process),
  });
  await core.gateway.start(addresses);
  await cluster.reached(`http://${seat?.name}.test`);
  if (seat !== undefined) doSingleTask(seated, db, logger);
  return { process, node: seated, core, db, fakeBroker, clock, since: time.now() };
}

/** Holds the work of a process up where the service names a moment, as if other work came first. */
function heldUp({ deps }: NodeState, process: SimulatedProcess): Promise<void> | undefined {
  const waiting = deps.seat === undefined ? deps.holdUp() : undefined;
  return waiting && whileAlive(process, waiting);
}

/** Decides at each commit of a process whether it dies there: by chance, or because a crash is scheduled. */
function commitWatch(node: NodeState, process: SimulatedProcess): CommitWatch {
  const { deps } = node;
  // A fault may be injected while the commit is judged; a crash that it schedules is for a later commit.
  const diesAsScheduled = (): boolean => {
    const crash = node.scheduledCrash;
    const isShown = deps.committed();
    if (crash === undefined || !(isShown || crash.after === 'any')) return false;
    return die(node, process, Math.max(1, crash.backAt - deps.time.now()));
  };
  return {
    ...deps.seat?.way(process),
    atOnce: deps.atOnce,
    // Among nodes a transaction waits as a whole: the others go on meanwhile.
    delay: deps.seat === undefined ? deps.delay : () => undefined,
    before: () => deps.dies('before') && die(node, process),
    changed: diesAsScheduled,
    after: () => diesAsScheduled() || (deps.dies('after') && die(node, process)),
  };
}

/** Deletes old rows twice a day while the process runs. */
function housekeep(node: NodeState, running: Running): void {
  const { process, db, clock } = running;
  clock.after(dayMs / 2, () => {
    const { single } = running.node.cluster;
    const forgetting = single.isOurs() ? forgetOldRows(db, clock.now()) : Promise.resolve();
    forgetting.catch((error: unknown) => isDatabaseAway(error) || node.deps.complained(describeError(error)));
    if (node.running?.process === process) housekeep(node, node.running);
  });
}

/** Ends a process in the middle of whatever it does. Always returns true, for callers that return whether it died. */
function die(node: NodeState, process: SimulatedProcess, awayMs = node.deps.awayMs()): true {
  const { note, time } = node.deps;
  process.die();
  node.scheduledCrash = undefined;
  node.deaths++;
  leaveDisk(node, process);
  node.starting = false;
  node.running = undefined;
  note(`${nameOf(node)} died, away for ${awayMs} ms`);
  for (const listener of node.exitListeners) listener(process);
  time.after(awayMs, () => void start(node));
  return true;
}

/** Rolls back what a process that ended did not commit. */
function leaveDisk({ deps: { disk, seat } }: NodeState, process: SimulatedProcess): void {
  if (seat === undefined) disk.crash();
  else seat.turns.end(process, disk.crash);
}

/** Stops the parts in the order of the service's own stop. */
async function restart(node: NodeState, awayMs = 500): Promise<void> {
  const ending = node.running;
  if (ending === undefined) return;
  const { note, time } = node.deps;
  const { core, process } = ending;
  // A node is known to end until it has.
  if (node.deps.seat === undefined) node.running = undefined;
  else if (!(await drain(node, ending))) return;
  note(`${nameOf(node)} stops`);
  await core.line.stop();
  if (node.deps.watchesDeadlines) await core.deadlines.stop();
  await core.gateway.stop();
  await core.outbox.stop();
  await ending.node.cluster.leave().catch(() => undefined);
  if (process.dead) return;
  process.die();
  node.running = undefined;
  leaveDisk(node, process);
  for (const listener of node.exitListeners) listener(process);
  note(`${nameOf(node)} stopped`);
  time.after(awayMs, () => void start(node));
}

/** The times that a node waits for: until the balancer has seen that it ends, and for what is still under way. */
const seenMs = 10_000;
const finishMs = 45_000;

/** Lets a node finish as the service does; false when it does so already. */
async function drain({ deps }: NodeState, { node, core, clock }: Running): Promise<boolean> {
  if (node.endsSince !== undefined) return false;
  node.endsSince = deps.time.now();
  deps.note(`${deps.seat?.name} drains`);
  const passes = (ms: number): Promise<void> => new Promise((resolve) => clock.after(ms, resolve));
  node.cluster.drain().catch(() => undefined);
  await passes(seenMs);
  await Promise.all([core.line.stop(), core.gateway.drain(finishMs)]);
  await Promise.race([core.outbox.idle(), passes(finishMs)]);
  return true;
}

/** A key that is the same in every run. */
function derived(use: string): Uint8Array {
  return new Uint8Array(createHash('sha256').update(`simulation ${use}`).digest());
}
