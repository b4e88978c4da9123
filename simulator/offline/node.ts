/** The machine that the service runs on: it starts the real core over the disk, and lets it die at a commit. */
import { createHash } from 'node:crypto';
import { type Core, createCore } from '../../api/core.ts';
import { forgetOldRows } from '../../api/retention/forget-old-rows.ts';
import type { Clock, Timer } from '../../runtime/clock.ts';
import type { Database } from '../../runtime/database.ts';
import { describeError, type Logger } from '../../runtime/logger.ts';
import type { Random } from '../../runtime/random.ts';
import type { CommitWatch, Process } from './disk.ts';
import { type FakeBroker, openFakeBroker } from './fake-broker.ts';
import { addresses, modelledOutside, type OutsideDeps } from './modelled-outside.ts';
import type { VirtualTime } from './virtual-time.ts';

/** The dependencies of the machine. */
export interface NodeDeps extends OutsideDeps {
  readonly time: VirtualTime;
  readonly random: Random;
  /** Draws whether the service dies at this moment of a commit. */
  readonly dies: (chance: 'before' | 'after') => boolean;
  /** The wait of a statement before the disk takes it; undefined for none. */
  readonly delay: () => Promise<void> | undefined;
  /** Is called after each commit. Returns true when the commit holds a frame's report that it shows something. */
  readonly committed: () => boolean;
  /** Draws how long a service that died stays away. */
  readonly awayMs: () => number;
  readonly note: (what: string) => void;
  /** Is called when the service writes an error into its log. */
  readonly complained: (what: string) => void;
}

/** A running service. */
export interface Running {
  readonly process: Process;
  readonly core: Core;
  readonly db: Database;
  readonly fakeBroker: FakeBroker | undefined;
  readonly clock: Clock;
  readonly since: number;
}

/** The machine, with the faults that can be injected into it. */
export interface ServiceNode {
  /** The service, while it runs. */
  readonly running: () => Running | undefined;
  start(): Promise<void>;
  /**
   * Ends the process with everything that it did not commit. It comes back by itself, after a drawn time by default.
   */
  crash(awayMs?: number): void;
  /**
   * Lets the process die right after its next commit, or after the next one that holds a frame's report that it shows
   * something. It comes back at the given moment.
   */
  scheduleCrash(after: 'any' | 'shown', backAt: number): void;
  /** Cancels a scheduled crash. */
  cancelCrash(): void;
  /** Ends the run: the process changes nothing more on the disk, on which the next run is played. */
  abandon(): void;
  /** Stops the service as planned, and starts it a moment later. */
  restart(): Promise<void>;
  /** The number of crashes; planned stops do not count. */
  readonly deaths: () => number;
  /** Registers a listener that is called whenever a process has ended. */
  onDeath(listener: () => void): void;
}

const dayMs = 86_400_000;

/** Everything that the machine keeps from one process to the next. */
interface NodeState {
  readonly deps: NodeDeps;
  readonly keys: { readonly seal: Uint8Array; readonly sign: Uint8Array };
  readonly exitListeners: Set<() => void>;
  running: Running | undefined;
  /** The process that was started last, whether or not it still runs. */
  latest: Process | undefined;
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
    start: () => start(node),
    crash(awayMs) {
      if (node.running !== undefined) die(node, node.running.process, awayMs);
    },
    scheduleCrash(after, backAt) {
      node.scheduledCrash = { after, backAt };
    },
    cancelCrash() {
      node.scheduledCrash = undefined;
    },
    abandon() {
      if (node.latest !== undefined) node.latest.dead = true;
      deps.disk.crash();
    },
    restart: () => restart(node),
    deaths: () => node.deaths,
    onDeath: (listener) => void node.exitListeners.add(listener),
  };
}

async function start(node: NodeState): Promise<void> {
  if (node.running !== undefined || node.starting) return;
  const { time, random, disk, complained, note } = node.deps;
  node.starting = true;
  const process: Process = { dead: false };
  node.latest = process;
  const clock = clockOf(process, time);
  const db = disk.open(process, commitWatch(node, process));
  let fakeBroker: FakeBroker | undefined;
  const core = await createCore({
    db,
    clock,
    random,
    keys: node.keys,
    files: disk.files,
    logger: loggerOf(process, complained),
    ...modelledOutside(node.deps, process, (brokerDeps) => {
      fakeBroker = openFakeBroker(brokerDeps);
      return fakeBroker;
    }),
  });
  await core.gateway.start(addresses);
  node.starting = false;
  if (process.dead) return;
  node.running = { process, core, db, fakeBroker, clock, since: time.now() };
  note('service started');
  core.line.start();
  housekeep(node, node.running);
}

/** Decides at each commit of a process whether it dies there: by chance, or because a crash is scheduled. */
function commitWatch(node: NodeState, process: Process): CommitWatch {
  const { deps } = node;
  return {
    delay: deps.delay,
    before: () => deps.dies('before') && die(node, process),
    after() {
      // A fault may be injected while the commit is judged; a crash that it schedules is for a later commit.
      const crash = node.scheduledCrash;
      const isShown = deps.committed();
      if (crash !== undefined && (isShown || crash.after === 'any')) {
        return die(node, process, Math.max(1, crash.backAt - deps.time.now()));
      }
      return deps.dies('after') && die(node, process);
    },
  };
}

/** Deletes old rows twice a day while the process runs. */
function housekeep(node: NodeState, { process, db, clock }: Running): void {
  clock.after(dayMs / 2, () => {
    forgetOldRows(db, clock.now()).catch((error: unknown) => node.deps.complained(describeError(error)));
    if (node.running?.process === process) housekeep(node, node.running);
  });
}

/** Ends a process in the middle of whatever it does. Always returns true, for callers that return whether it died. */
function die(node: NodeState, process: Process, awayMs = node.deps.awayMs()): true {
  const { disk, note, time } = node.deps;
  process.dead = true;
  node.scheduledCrash = undefined;
  node.deaths++;
  disk.crash();
  node.starting = false;
  node.running = undefined;
  note(`service died, away for ${awayMs} ms`);
  for (const listener of node.exitListeners) listener();
  time.after(awayMs, () => void start(node));
  return true;
}

/** Stops the parts in the order of the service's own stop. */
async function restart(node: NodeState): Promise<void> {
  const ending = node.running;
  if (ending === undefined) return;
  const { disk, note, time } = node.deps;
  node.running = undefined;
  note('service stops');
  await ending.core.line.stop();
  await ending.core.gateway.stop();
  await ending.core.outbox.stop();
  if (ending.process.dead) return;
  ending.process.dead = true;
  disk.crash();
  for (const listener of node.exitListeners) listener();
  note('service stopped');
  time.after(500, () => void start(node));
}

/** The clock of a process: none of its timers outlives it. */
function clockOf(process: Process, time: VirtualTime): Clock {
  return {
    now: () => time.now(),
    after: (delayMs, run): Timer => time.after(delayMs, () => process.dead || run()),
  };
}

/** The log of a process, of which only the errors matter here. */
function loggerOf(process: Process, complained: (what: string) => void): Logger {
  const quiet = (): void => {};
  return {
    debug: quiet,
    info: quiet,
    warn: quiet,
    error(fields, message) {
      if (!process.dead) complained(`${message}: ${describeError(fields.error)}`);
    },
  };
}

/** A key that is the same in every run. */
function derived(use: string): Uint8Array {
  return new Uint8Array(createHash('sha256').update(`simulation ${use}`).digest());
}
