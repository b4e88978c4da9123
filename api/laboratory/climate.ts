/** The climate of a run: every fault as a ratio or a duration, drawn from the seed. About half of them are off in any run. */
import type { Chance } from './chance.ts';

/** Faults of a run. Ratios are in [0, 1], times in milliseconds of the world. */
export interface Climate {
  /** How long the bad weather lasts. */
  readonly safetyMs: number;
  readonly native: number;
  readonly classic: number;
  readonly papers: number;
  readonly connectionsPerPaper: number;
  /** What frames are told to sleep. */
  readonly sleepSeconds: number;
  /** Names of behaviours; each frame but the first may have one. */
  readonly dishonest: number;
  /** A second device with the credentials of another. */
  readonly clones: number;
  /** A frame loses power within its wake, or while it draws. */
  readonly powerLoss: number;
  readonly turnedWhileDrawing: number;
  /** Longest way of a message. */
  readonly delayMs: number;
  readonly messageTwice: number;
  /** A connection breaks under one of its messages. */
  readonly linkBreaks: number;
  readonly downloadBreaks: number;
  /** Slowest download. */
  readonly downloadMs: number;
  readonly renderFails: number;
  readonly renderHangs: number;
  readonly renderMs: number;
  readonly callbackFails: number;
  readonly callbackAnswerLost: number;
  readonly callbackHangs: number;
  /** A statement that waits for the disk, while others are asked for: this is what makes works overtake each other. */
  readonly slowDisk: number;
  readonly slowDiskMs: number;
  /** The service dies before or after a commit. */
  readonly crash: number;
  /** How long it is away. */
  readonly awayMs: number;
  /** A planned stop instead of a crash, each minute. */
  readonly stopPerMinute: number;
  /** Acts of people, on average one in this time. */
  readonly actEveryMs: number;
  /** How often each act comes, beside the others. */
  readonly acts: Readonly<Record<Act, number>>;
  /** An answer of the service that the integration's backend never sees. */
  readonly answerLost: number;
  /** Leaps over days, each time to a moment something ends. */
  readonly leaps: number;
  /** Whether everybody pushes once more in good weather; otherwise what is there must come right by itself. */
  readonly lastPush: boolean;
}

/** What people and backends do. */
export type Act =
  | 'submit'
  | 'burst'
  | 'repeat'
  | 'conflict'
  | 'assign'
  | 'strike'
  | 'leave'
  | 'disconnect'
  | 'reconnect'
  | 'change integration'
  | 'upload'
  | 'send image'
  | 'press button'
  | 'look';

const minuteMs = 60_000;

/** Draws the climate of a seed. `wanted` frames, or as many as the seed says. */
export function climateOf(chance: Chance, wanted?: number): Climate {
  const sometimes = (most: number, share = 0.5): number => (chance.hits(share) ? chance.number() * most : 0);
  const drawn = chance.pick([1, 1, 2, 2, 3]);
  const frames = wanted ?? drawn;
  const native = chance.whole(0, frames);
  return {
    safetyMs: chance.whole(90_000, 5 * minuteMs),
    native,
    classic: frames - native,
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
      strike: sometimes(16, 0.6),
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
  };
}

/** Good weather: what healing brings. People act no more, and frames are what they are. */
export function healed(climate: Climate): Climate {
  return {
    ...climate,
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
  };
}
