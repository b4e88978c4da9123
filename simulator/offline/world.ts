/**
 * The world of one run: the service on its machine, frames, backends and people, under one clock and the faults of its
 * seed.
 */
import type { Random } from '../../runtime/random.ts';
import { type Backend, backendOf, type PushedContent } from './backend.ts';
import { callsOf, type SimulatedCall } from './calls.ts';
import { type Chance, chanceOf, randomOf } from './chance.ts';
import { type Checker, openChecker } from './checker.ts';
import type { Disk } from './disk.ts';
import { fakeBrowser } from './fake-browser.ts';
import { drawFaultRates, type FaultRates, withoutFaults } from './fault-rates.ts';
import { type FrameBody, frameBody } from './frame-body.ts';
import { createHome, freshFrame, type Home } from './home.ts';
import { type Judge, openJudge } from './judge.ts';
import { type ServiceNode, serviceNode } from './node.ts';
import { type Operator, operatorOf } from './operator.ts';
import { openReceiver, type Receiver } from './receiver.ts';
import { openTrace, type Trace } from './trace.ts';
import { type VirtualTime, virtualTime } from './virtual-time.ts';

/** Everything in a run. */
export interface World {
  readonly time: VirtualTime;
  readonly chance: Chance;
  readonly faultRates: FaultRates;
  readonly trace: Trace;
  readonly checker: Checker;
  readonly disk: Disk;
  readonly node: ServiceNode;
  readonly call: SimulatedCall;
  readonly home: Home;
  readonly operator: Operator;
  readonly backends: readonly Backend[];
  readonly bodies: readonly FrameBody[];
  readonly judge: Judge;
  readonly receiver: Receiver;
  /** Errors that the service wrote into its log. */
  readonly complaints: readonly string[];
  /** Moves time on at once, for everybody. */
  leap(ms: number): void;
  /** The moment since which the service has been running without a leap; undefined while it is away. */
  upSince(): number | undefined;
  /** Makes faults happen at the rates of the seed. */
  enableFaults(): void;
  /** Stops every fault. */
  disableFaults(): void;
}

/** The options of a run beside its seed. */
export interface SimulationOptions {
  /** The number of frames; drawn from the seed when absent. */
  readonly frames?: number | undefined;
  /** Receives each line of the trace as it is written. */
  readonly print?: ((line: string) => void) | undefined;
}

const startsAt = Date.UTC(2026, 0, 10, 8);

/** The parts of a run on which all others rest: chance, faults, time, and the record of what happens. */
interface Foundation {
  readonly disk: Disk;
  readonly chance: Chance;
  readonly faultRates: FaultRates;
  /** The fault rates of the moment. */
  readonly currentFaults: () => FaultRates;
  readonly setFaults: (faultRates: FaultRates) => void;
  readonly time: VirtualTime;
  readonly trace: Trace;
  /** Writes a line into the trace, and counts it as progress. */
  readonly note: (what: string) => void;
  readonly checker: Checker;
  readonly complaints: readonly string[];
  readonly complained: (what: string) => void;
}

/** Builds the world of a seed: no fault happens yet, and everything is connected. */
export async function buildWorld(seed: string, disk: Disk, options: SimulationOptions): Promise<World> {
  const base = layFoundation(seed, disk, options);
  const { time, chance, faultRates, trace, checker, note, complained, complaints } = base;
  const backends: Backend[] = [];
  const bodies: FrameBody[] = [];
  const judge = judgeOf(base, bodies, backends);
  const random = randomOf(chance.fork('service'), time);
  const receiver = openReceiver({ ...base, chance: chance.fork('receiver'), started: judge.sending });
  const node = nodeOf(base, random, judge, receiver);
  await node.start();
  const running = node.running();
  if (running === undefined) throw new Error('the service did not start');
  const home = await createHome(running, faultRates, random, chance.fork('home'));
  const call = callsOf(node, complained);
  const operator = operatorOf({ call, note, chance: chance.fork('operator'), db: () => node.running()?.db }, home);
  await operator.settleIn(faultRates.papers);
  for (const paperId of operator.papers) {
    for (const member of home.members) {
      const parts = { ...base, call, chance: chance.fork(`backend ${backends.length}`) };
      const backend = backendOf(parts, paperId, member);
      backends.push(backend);
      await backend.connect();
    }
  }
  bodies.push(...bodiesOf(base, home, node, judge));
  return {
    time,
    chance,
    faultRates,
    trace,
    checker,
    disk,
    node,
    call,
    home,
    operator,
    backends,
    bodies,
    judge,
    receiver,
    complaints,
    ...leapsOf(base, node, judge),
    enableFaults: () => base.setFaults(faultRates),
    disableFaults: () => base.setFaults(withoutFaults(faultRates)),
  };
}

function layFoundation(seed: string, disk: Disk, options: SimulationOptions): Foundation {
  disk.wipe();
  const chance = chanceOf(seed);
  // The name of each fork is part of what a seed plays, so it stays as it is: another name makes other draws.
  const faultRates = drawFaultRates(chance.fork('climate'), options.frames);
  let currentFaults = withoutFaults(faultRates);
  let notes = 0;
  const time = virtualTime(startsAt, chance.fork('order'), () => disk.progress() + notes);
  const trace = openTrace(time.now, startsAt, options.print);
  const note = (what: string): void => {
    notes++;
    trace.note(what);
  };
  const checker = openChecker(note);
  const complaints: string[] = [];
  return {
    disk,
    chance,
    faultRates,
    currentFaults: () => currentFaults,
    setFaults: (faults) => {
      currentFaults = faults;
    },
    time,
    trace,
    note,
    checker,
    complaints,
    complained(what) {
      complaints.push(what);
      // An error in the log is a bug, because the service has an answer to every injected fault.
      checker.holds(false, 'no fault in the log', () => what);
      note(`complaint: ${what.split('\n')[0]}`);
    },
  };
}

/** Opens the judge over devices and backends that are still to come. */
function judgeOf(base: Foundation, bodies: readonly FrameBody[], backends: readonly Backend[]): Judge {
  const { disk, checker, time, note, currentFaults } = base;
  const submissions = function* (): Iterable<PushedContent> {
    for (const backend of backends) yield* backend.submissions;
    for (const backend of backends) yield* backend.contradictions;
  };
  const maxStatementMs = (): number => (currentFaults().slowDisk === 0 ? 0 : currentFaults().slowDiskMs);
  return openJudge({ disk, checker, time, bodies, submissions, note, maxStatementMs });
}

/** Puts the service's machine together; its crashes and slow statements follow the fault rates of the moment. */
function nodeOf(base: Foundation, random: Random, judge: Judge, receiver: Receiver): ServiceNode {
  const { time, disk, chance, currentFaults, note, complained } = base;
  const crashes = chance.fork('crashes');
  const delays = chance.fork('delays');
  return serviceNode({
    time,
    random,
    disk,
    note,
    complained,
    receiver: () => receiver,
    renderPage: fakeBrowser(time, chance.fork('rendering'), currentFaults),
    dies: () => currentFaults().crash > 0 && crashes.hits(currentFaults().crash / 2),
    committed: judge.committed,
    delay() {
      if (currentFaults().slowDisk === 0 || !delays.hits(currentFaults().slowDisk)) return undefined;
      return new Promise((resolve) => time.after(delays.whole(1, currentFaults().slowDiskMs), resolve));
    },
    awayMs: () => crashes.whole(100, currentFaults().awayMs),
  });
}

/** Builds the devices of all frames, clones among them. */
function bodiesOf(base: Foundation, home: Home, node: ServiceNode, judge: Judge): FrameBody[] {
  const deps = {
    ...base,
    tookWhole: judge.tookWhole,
    fakeBroker: () => node.running()?.fakeBroker,
    serve: () => {
      const running = node.running();
      if (running === undefined) return undefined;
      return { answer: running.core.gateway.serve, isDead: () => running.process.dead };
    },
  };
  const bodies: FrameBody[] = [];
  for (const frame of home.frames) {
    for (const suffix of frame.hasClone ? ['', ' clone'] : ['']) {
      const name = frame.serial + suffix;
      const { password, behaviours } = frame;
      const chance = base.chance.fork(`body ${name}`);
      bodies.push(frameBody({ ...deps, chance }, { name, password, initial: freshFrame(frame), behaviours }));
    }
  }
  return bodies;
}

/** Leaps in time, and the time that the service has been running since the last one. */
function leapsOf({ trace, time }: Foundation, node: ServiceNode, judge: Judge): Pick<World, 'leap' | 'upSince'> {
  let landedAt = 0;
  return {
    leap(ms) {
      trace.note(`leap over ${ms} ms`);
      time.leap(ms);
      landedAt = time.now();
      judge.leapt();
    },
    upSince() {
      const since = node.running()?.since;
      return since === undefined ? undefined : Math.max(since, landedAt);
    },
  };
}
