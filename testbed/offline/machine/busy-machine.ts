/**
 * A machine in trouble for a while: it is busy, so that work is held up wherever it waits and other work comes in
 * between, or the pages of integrations are out of order, so that no rendering succeeds.
 */
import type { Chance } from './chance.ts';
import type { VirtualTime } from './virtual-time.ts';

/** The trouble of the machine of a run. */
export interface BusyMachine {
  /** Makes it busy for so many milliseconds from now. */
  busyFor(ms: number): void;
  isBusy(): boolean;
  /**
   * Returns the wait of a piece of work that comes now; undefined for none. A statement has the database to itself while it waits,
   * work between statements lets others go on.
   */
  holdUp(where: 'statement' | 'between statements'): Promise<void> | undefined;
  /** Makes every page fail whose rendering begins within this many milliseconds. */
  breakPages(ms: number): void;
  arePagesBroken(): boolean;
}

/** How often work is held up while the machine is busy, and for how long at most. */
const heldUp = { statement: 0.12, 'between statements': 0.5, maxMs: 1500 } as const;

/** Opens the machine without any trouble. */
export function busyMachine(time: VirtualTime, draws: Chance): BusyMachine {
  let busyUntil = Number.NEGATIVE_INFINITY;
  let brokenUntil = Number.NEGATIVE_INFINITY;
  return {
    busyFor(ms) {
      busyUntil = time.now() + ms;
    },
    isBusy: () => time.now() < busyUntil,
    holdUp(where) {
      if (time.now() >= busyUntil || !draws.happens(heldUp[where], 'work is held up')) return undefined;
      return new Promise((resolve) => time.after(draws.whole(1, heldUp.maxMs), resolve));
    },
    breakPages(ms) {
      brokenUntil = time.now() + ms;
    },
    arePagesBroken: () => time.now() < brokenUntil,
  };
}
