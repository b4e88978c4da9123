/**
 * The fault rates of a run: ratios and durations that are drawn from the seed. About half of the faults are off in any
 * run.
 */
import { type Chance, chanceOf } from './chance.ts';
import { drawPolledFaults, noPolledFrames, type PolledFaults, withoutPolledFaults } from './polled-faults.ts';

/** The fault rates of a run. Ratios are in [0, 1], times in milliseconds of virtual time. */
export interface FaultRates {
  /** The time during which faults happen. */
  readonly safetyMs: number;
  readonly native: number;
  readonly classic: number;
  /** Frames that poll, and what happens to them. */
  readonly polled: PolledFaults;
  /** Frames with the vendor's offline firmware; none unless they are wanted. */
  readonly offlineFrames: number;
  /** Deadlines that people set; none unless they are wanted. */
  readonly deadlines: number;
  readonly papers: number;
  readonly connectionsPerPaper: number;
  /** The time that frames are told to sleep. */
  readonly sleepSeconds: number;
  /** The share of frames that misbehave; the first frame never does. */
  readonly dishonest: number;
  /** The share of frames with a clone: a second device that has the same credentials. */
  readonly clones: number;
  /** How often a frame loses power while it is awake; half as often while it draws. */
  readonly powerLoss: number;
  readonly turnedWhileDrawing: number;
  /** The longest time that a message is under way. */
  readonly delayMs: number;
  readonly messageTwice: number;
  /** How often a connection breaks under one of its first messages. */
  readonly linkBreaks: number;
  readonly downloadBreaks: number;
  /** The longest time of a download. */
  readonly downloadMs: number;
  readonly renderFails: number;
  readonly renderHangs: number;
  readonly renderMs: number;
  readonly callbackFails: number;
  readonly callbackAnswerLost: number;
  readonly callbackHangs: number;
  /** How often a statement waits for the disk. Other statements run meanwhile, so that work overtakes other work. */
  readonly slowDisk: number;
  readonly slowDiskMs: number;
  /** How often the service dies at a commit: half of it before, half of it after. */
  readonly crash: number;
  /** The longest time that a service stays away after it died. */
  readonly awayMs: number;
  /** How often per minute the service is stopped as planned. */
  readonly stopPerMinute: number;
  /** The average time between two acts of people. */
  readonly actEveryMs: number;
  /** The weight of each act among all acts. */
  readonly acts: Readonly<Record<SimulatedAct, number>>;
  /** How often an answer of the service never reaches the integration's backend. */
  readonly answerLost: number;
  /** The number of leaps over days, each to about the moment at which something ends. */
  readonly leaps: number;
  /**
   * True when every backend pushes once more after the faults; otherwise the existing content must converge by itself.
   */
  readonly lastPush: boolean;
  /** The restore of a backup; most seeds have none. */
  readonly restore: RestoreFault | undefined;
  /** True where people end connections just when something is under way for them. */
  readonly endsHastily: boolean;
}

/** A backup that is taken, and restored later in the time of faults. */
export interface RestoreFault {
  /** The moments of both, as parts of that time. */
  readonly backupAt: number;
  readonly restoreAt: number;
  /** The commit after which the backup is taken: evidence that comes next is not in it. */
  readonly after: 'any' | 'announced' | 'fetched' | 'shown';
  /** How far the versions of all frames are ahead of the time, in seconds: a clock was wrong once. */
  readonly aheadSeconds: number;
}

/** Draws a restore, in few seeds unless it is forced. */
function drawRestore(chance: Chance, isForced: boolean): RestoreFault | undefined {
  if (!isForced && !chance.hits(0.05)) return undefined;
  const backupAt = chance.number() * 0.7;
  return {
    backupAt,
    restoreAt: backupAt + chance.number() * (0.98 - backupAt),
    after: chance.pick(['any', 'announced', 'fetched', 'shown']),
    aheadSeconds: chance.hits(0.5) ? chance.whole(1, 50_000) : 0,
  };
}

/** The acts of people and backends. */
export type SimulatedAct =
  | 'submit'
  | 'burst'
  | 'repeat'
  | 'conflict'
  | 'assign'
  | 'inject fault'
  | 'leave'
  | 'disconnect'
  | 'reconnect'
  | 'change integration'
  | 'upload'
  | 'send image'
  | 'press button'
  | 'look';

const minuteMs = 60_000;

/** The wishes for a run; the seed draws the rest. */
export interface WantedFaults {
  /** The number of frames. */
  readonly frames?: number | undefined;
  /** The number of nodes; one process that is alone when absent, and 2 or 3 when `drawn` from the seed. */
  readonly nodes?: number | 'drawn' | undefined;
  /** True to restore a backup in the middle of every run, not of a few. */
  readonly restores?: boolean | undefined;
  /** True to archive the service in every run, and to throw its disk away in the middle. */
  readonly archives?: boolean | undefined;
  /** The number of frames with the vendor's offline firmware, besides the others; none when absent. */
  readonly offlineFrames?: number | undefined;
  /** The number of deadlines that people set; none when absent, and then nobody watches them. */
  readonly deadlines?: number | undefined;
}

/** Draws the fault rates of a seed, for as many frames as are wanted or as the seed draws. */
export function drawFaultRates(
  chance: Chance,
  { frames: wanted, nodes = 1, restores = false, archives = false, offlineFrames = 0, deadlines = 0 }: WantedFaults,
): FaultRates {
  const sometimes = (most: number, share = 0.5): number => (chance.hits(share) ? chance.number() * most : 0);
  const drawn = chance.pick([1, 1, 2, 2, 3]);
  // Frames that poll have draws of their own: a seed without any plays what it played before there were any.
  const polled = drawPolledFaults(chance.fork('polled frames'), wanted);
  const frames = wanted === undefined ? drawn : wanted - polled.frames;
  const native = chance.whole(0, frames);
  return {
    safetyMs: chance.whole(90_000, 5 * minuteMs),
    native,
    classic: frames - native,
    polled,
    offlineFrames,
    deadlines,
    papers: chance.pick([1, 1, 2]),
    connectionsPerPaper: chance.pick([1, 1, 2]),
    sleepSeconds: chance.pick([60, 60, 60, 120]),
    dishonest: sometimes(1, 0.4),
    clones: sometimes(1, 0.1),
    powerLoss: sometimes(0.3, 0.4),
    turnedWhileDrawing: sometimes(0.5, 0.2),
    delayMs: chance.pick([50, 200, 1000]),
    messageTwice: sometimes(0.3, 0.4),
    linkBreaks: sometimes(0.4, 0.5),
    downloadBreaks: sometimes(0.5, 0.5),
    downloadMs: chance.pick([500, 3000, 20_000]),
    renderFails: chance.hits(0.2) ? 1 : sometimes(0.6, 0.4),
    renderHangs: sometimes(0.1, 0.2),
    renderMs: chance.pick([200, 3000, 15_000]),
    callbackFails: sometimes(0.9, 0.5),
    callbackAnswerLost: sometimes(0.5, 0.4),
    callbackHangs: sometimes(0.3, 0.2),
    slowDisk: sometimes(0.06, 0.6),
    slowDiskMs: chance.pick([20, 1500]),
    crash: chance.hits(0.6) ? chance.pick([0.004, 0.015, 0.04]) : 0,
    awayMs: chance.pick([1000, 20_000, 2 * minuteMs]),
    stopPerMinute: sometimes(0.2, 0.2),
    actEveryMs: chance.pick([8000, 20_000, 60_000]),
    acts: {
      submit: chance.pick([1, 3, 6]),
      burst: sometimes(2),
      repeat: sometimes(4),
      conflict: sometimes(1),
      assign: sometimes(4),
      'inject fault': sometimes(16, 0.6),
      leave: sometimes(1, 0.2),
      disconnect: sometimes(1, 0.3),
      reconnect: 1,
      'change integration': sometimes(1, 0.2),
      upload: sometimes(2, 0.3),
      'send image': sometimes(2, 0.3),
      'press button': sometimes(3),
      look: 1,
    },
    answerLost: sometimes(0.3),
    leaps: chance.hits(0.45) ? chance.whole(1, 3) : 0,
    lastPush: chance.hits(0.6),
    restore: nodes === 1 && !archives ? drawRestore(chance.fork('restores'), restores) : undefined,
    endsHastily: nodes === 1 && chance.fork('hasty people').hits(0.3),
  };
}

/** Returns the rates of a time without faults. What the frames are stays as it was drawn. */
export function withoutFaults(faultRates: FaultRates): FaultRates {
  return {
    ...faultRates,
    powerLoss: 0,
    turnedWhileDrawing: 0,
    delayMs: 50,
    messageTwice: 0,
    linkBreaks: 0,
    downloadBreaks: 0,
    downloadMs: 500,
    renderFails: 0,
    renderHangs: 0,
    renderMs: 200,
    callbackFails: 0,
    callbackAnswerLost: 0,
    callbackHangs: 0,
    slowDisk: 0,
    crash: 0,
    stopPerMinute: 0,
    answerLost: 0,
    leaps: 0,
    endsHastily: false,
    polled: withoutPolledFaults(faultRates.polled),
  };
}

/** The rates of a run in which nothing happens by itself, and nobody does anything. */
export const noFaults: FaultRates = withoutFaults({
  ...drawFaultRates(chanceOf('no faults'), { frames: 1 }),
  papers: 1,
  connectionsPerPaper: 1,
  dishonest: 0,
  clones: 0,
  polled: noPolledFrames,
  restore: undefined,
});
