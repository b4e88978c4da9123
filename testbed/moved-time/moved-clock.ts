/**
 * A clock whose time its user moves: it runs many times faster than the machine's, stands still, or leaps. While
 * something is under way that takes the machine's own time, such as a request or a page that is drawn, it runs as the
 * machine's does: nothing is given up as too slow only because time was moved.
 */
import { performance } from 'node:perf_hooks';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../runtime/clock.ts';
import { virtualTime } from '../offline/machine/virtual-time.ts';

/**
 * A clock that is moved. Its timers run in their order, each at its own time; in a leap, which is much the faster for it, up to half a
 * minute late.
 */
export interface MovedClock extends Clock {
  /** How many times faster than the machine's clock it runs while nothing is under way. */
  readonly speed: number;
  /** When the leap under way ends, in epoch milliseconds; undefined when there is none. */
  leapsTo(): number | undefined;
  /** Lets it run at a speed; 0 lets it stand still. */
  run(speed: number): void;
  /** Leaps ahead, and resolves when everything that was due on the way has happened. */
  leap(ms: number): Promise<void>;
  stop(): Promise<void>;
}

const stepMs = 5;
/** A machine that slept, or a process that was stopped, takes no time along. */
const maxStepMs = 1_000;
/** A leap goes in strides: what is due within one happens at its end, in its order. */
const maxStrideMs = 30_000;
const stridesOfLeap = 100;

/** How long the strides of a leap are, in milliseconds. */
const strideOf = (leapMs: number): number => Math.min(maxStrideMs, Math.ceil(leapMs / stridesOfLeap));

/** Lets work that an event set off go on over the network and the disk, for which the event loop has to turn. */
async function twoTurns(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

interface Leap {
  readonly to: number;
  readonly strideMs: number;
  readonly done: () => void;
}

/**
 * Starts a clock.
 * @param startsAt epoch milliseconds
 * @param isBusy whether something is under way that takes the machine's own time
 */
export function movedClock(startsAt: number, isBusy: () => boolean): MovedClock {
  const time = virtualTime(startsAt, { number: () => 0 }, twoTurns);
  let speed = 1;
  let leap: Leap | undefined;
  /** A leap waits for the one before it. */
  let leaps: Promise<void> = Promise.resolve();
  let isStopped = false;
  let last = performance.now();

  const holds = (): boolean => isStopped || isBusy();

  /** Goes one stride of the leap that comes first. */
  async function stride({ to, strideMs }: Leap): Promise<void> {
    time.leap(Math.min(strideMs, to - time.now()));
    await time.until(time.now(), holds);
  }

  /** Lets time pass as it does between leaps. */
  async function pass(elapsed: number): Promise<void> {
    const slow = leap === undefined ? Math.min(1, speed) : 1;
    await time.until(time.now() + elapsed * (isBusy() ? slow : speed), holds);
  }

  async function step(): Promise<void> {
    const elapsed = Math.min(maxStepMs, performance.now() - last);
    last = performance.now();
    if (leap === undefined || isBusy()) await pass(elapsed);
    while (leap !== undefined && !holds() && leap.to > time.now()) await stride(leap);
    if (leap === undefined || leap.to > time.now()) return;
    // What was due, and what came of it, has happened.
    await time.until(time.now(), holds);
    if (isBusy()) return;
    leap.done();
    leap = undefined;
  }

  async function drive(): Promise<void> {
    while (!isStopped) {
      await pause(leap === undefined ? stepMs : 1);
      await step();
    }
  }

  const driven = drive();
  return {
    now: () => Math.floor(time.now()),
    after: time.after,
    get speed() {
      return speed;
    },
    leapsTo: () => leap?.to,
    run(wanted) {
      speed = wanted;
    },
    leap(ms) {
      const begin = (done: () => void): void => {
        if (isStopped) done();
        else leap = { to: time.now() + ms, strideMs: strideOf(ms), done };
      };
      leaps = leaps.then(() => new Promise(begin));
      return leaps;
    },
    async stop() {
      isStopped = true;
      await driven;
      leap?.done();
    },
  };
}

/**
 * Returns whether a page is drawn again for a wake within a leap: if the rest of the leap is no longer than the time
 * since it was last drawn. So a page is drawn some six times in a leap over 48 wakes, and always for the last one.
 * @param leapsTo the end of the leap, epoch milliseconds; undefined outside of one
 */
export function isWorthDrawing(leapsTo: number | undefined, drawnFor: number, wake: number): boolean {
  return leapsTo === undefined || leapsTo - wake <= wake - drawnFor;
}
