/**
 * The world of one run: the service on its machine, frames, backends and people, under one clock and the faults of its
 * seed.
 */

import type { Random } from '../../runtime/random.ts';
import { isCloned } from '../../simulator/behaviours/behaviours.ts';
import { type Backend, backendOf } from './backend.ts';
import type { FrameBody } from './bodies/device.ts';
import { frameBody } from './bodies/frame-body.ts';
import { callsOf, type SimulatedCall } from './calls.ts';
import type { SimulatedCluster } from './cluster.ts';
import type { PushedContent } from './compose-message.ts';
import { type Foundation, layFoundation, type SimulationOptions } from './foundation.ts';
import { createHome, drawHome, freshFrame, type Home } from './home.ts';
import { type Judge, openJudge } from './judge.ts';
import type { BusyMachine } from './machine/busy-machine.ts';
import { type Chance, randomOf } from './machine/chance.ts';
import type { Checker } from './machine/checker.ts';
import type { Disk } from './machine/disk.ts';
import { type FaultRates, withoutFaults } from './machine/fault-rates.ts';
import { openReceiver, type Receiver } from './machine/receiver.ts';
import type { Trace } from './machine/trace.ts';
import type { VirtualTime } from './machine/virtual-time.ts';
import { drawNodeFaults, noNodeFaults } from './node-faults.ts';
import { openService } from './open-service.ts';
import { type Operator, operatorOf } from './operator.ts';
import type { ServiceNode } from './service-node.ts';

/** Everything in a run. */
export interface World {
  readonly time: VirtualTime;
  readonly busy: BusyMachine;
  readonly chance: Chance;
  /** The randomness of the service. */
  readonly random: Random;
  readonly faultRates: FaultRates;
  readonly trace: Trace;
  readonly checker: Checker;
  readonly disk: Disk;
  readonly node: ServiceNode;
  /** The nodes of the service; undefined where it is one process. */
  readonly cluster: SimulatedCluster | undefined;
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

/** Callers of several nodes give up after this time: another node may answer them. */
const callersWaitMs = 30_000;

/** The clocks of nodes follow the database's; what they measure of it is off by as much at most. */
const clockErrorMs = 2_000;

/** Builds the world of a seed: no fault happens yet, and everything is connected. */
export async function buildWorld(seed: string, disk: Disk, options: SimulationOptions): Promise<World> {
  const base = layFoundation(seed, disk, options);
  const { time, chance, faultRates, trace, checker, note, complained, complaints } = base;
  const backends: Backend[] = [];
  const bodies: FrameBody[] = [];
  const sent = new Map<string, PushedContent[]>();
  const judge = judgeOf(base, bodies, backends, (messageId) => sent.get(messageId) ?? []);
  const sends = (message: PushedContent): void => {
    const known = sent.get(message.messageId);
    if (known === undefined) sent.set(message.messageId, [message]);
    else known.push(message);
  };
  const random = randomOf(chance.fork('service'), time);
  const receiver = openReceiver({
    ...base,
    chance: chance.fork('receiver'),
    started: judge.sending,
    ended: judge.sent,
    connectsSlowly: base.nodes > 1,
  });
  const { node, cluster } = openService(base, { random, judge, receiver });
  await node.start();
  const running = node.running();
  if (running === undefined) throw new Error('the service did not start');
  const home = await createHome(running, options.fleet?.home ?? drawHome(faultRates, chance.fork('home')), random);
  const hangUpLater = base.nodes > 1 ? (hangUp: () => void) => time.after(callersWaitMs, hangUp) : undefined;
  const call = callsOf(node, { complained, hangUpLater });
  const operator = operatorOf({ call, note, chance: chance.fork('operator'), db: () => node.running()?.db }, home);
  await operator.settleIn(options.fleet ?? { papers: faultRates.papers });
  for (const paperId of operator.papers) {
    for (const member of home.members) {
      const parts = { ...base, call, sends, chance: chance.fork(`backend ${backends.length}`) };
      const backend = backendOf(parts, paperId, member);
      backends.push(backend);
      await backend.connect();
    }
  }
  bodies.push(...bodiesOf(base, { home, node, judge, fleet: options.fleet }));
  const leaps = leapsOf(base, node, judge, cluster);
  judge.watchUptime(leaps.upSince);
  return {
    time,
    busy: base.busy,
    chance,
    random,
    faultRates,
    trace,
    checker,
    disk,
    node,
    cluster,
    call,
    home,
    operator,
    backends,
    bodies,
    judge,
    receiver,
    complaints,
    ...leaps,
    enableFaults() {
      base.setFaults(faultRates);
      cluster?.setFaults(drawNodeFaults(chance.fork('faults of nodes')));
    },
    disableFaults() {
      base.setFaults(withoutFaults(faultRates));
      cluster?.setFaults(noNodeFaults);
    },
  };
}

/** Opens the judge over devices and backends that are still to come. */
function judgeOf(
  base: Foundation,
  bodies: readonly FrameBody[],
  backends: readonly Backend[],
  sentAs: (messageId: string) => readonly PushedContent[],
): Judge {
  const { disk, checker, time, note, currentFaults } = base;
  const submissions = function* (): Iterable<PushedContent> {
    for (const backend of backends) yield* backend.submissions;
    for (const backend of backends) yield* backend.contradictions;
  };
  const maxStatementMs = (): number => (currentFaults().slowDisk === 0 ? 0 : currentFaults().slowDiskMs);
  return openJudge({
    disk,
    checker,
    time,
    bodies,
    submissions,
    sentAs,
    note,
    maxStatementMs,
    clockErrorMs: base.nodes === 1 ? 0 : clockErrorMs,
  });
}

/** Builds the devices of all frames, clones among them. */
function bodiesOf(
  base: Foundation,
  { home, node, judge, fleet }: Pick<World, 'home' | 'node' | 'judge'> & Pick<SimulationOptions, 'fleet'>,
): FrameBody[] {
  const deps = {
    ...base,
    tookWhole(path: string, etag: string | undefined): void {
      const [, serial] = /^\/offline\/(.+)$/.exec(path) ?? [];
      const version = Number(/^"(\d+)-/.exec(etag ?? '')?.[1]);
      const isIts = (row: { serial: string; file_version: number }) =>
        row.serial === serial && row.file_version === version;
      const own = serial === undefined ? undefined : [...judge.rows.uploads.values()].find(isIts);
      judge.tookWhole(own?.path ?? path.replace(/^\/trmnl\/f\//, '/f/'));
    },
    answered: judge.answered,
    slept: judge.slept,
    woke: fleet?.woke,
    fakeBroker: () => node.reached()?.fakeBroker,
    serve: () => {
      const running = node.reached();
      if (running === undefined) return undefined;
      const { process, core } = running;
      return { answer: core.gateway.serve, isDead: () => process.dead, run: (what: () => void) => process.run(what) };
    },
  };
  const bodies: FrameBody[] = [];
  for (const frame of home.frames) {
    for (const suffix of frame.hasClone || isCloned(frame.behaviours) ? ['', ' clone'] : ['']) {
      const name = frame.serial + suffix;
      const { serial, password, behaviours, isHealthy = () => behaviours.length === 0 } = frame;
      const chance = base.chance.fork(`body ${name}`);
      const isProxied = frame.dialect === 'trmnl' && base.faultRates.polled.isProxied;
      const currentFaults = fleet === undefined ? base.currentFaults : () => fleet.faultsOf(serial);
      const device = { name, password, initial: freshFrame(frame), behaviours, isHonest: isHealthy };
      bodies.push(frameBody({ ...deps, currentFaults, chance, isProxied }, device));
    }
  }
  return bodies;
}

/** Leaps in time, and the time that the service has been running since the last one. */
function leapsOf(
  { trace, time }: Foundation,
  node: ServiceNode,
  judge: Judge,
  cluster: SimulatedCluster | undefined,
): Pick<World, 'leap' | 'upSince'> {
  let landedAt = 0;
  return {
    leap(ms) {
      trace.note(`leap over ${ms} ms`);
      time.leap(ms);
      landedAt = time.now();
      judge.leapt();
      cluster?.leapt();
    },
    upSince() {
      const since = node.upSince();
      return since === undefined ? undefined : Math.max(since, landedAt);
    },
  };
}
