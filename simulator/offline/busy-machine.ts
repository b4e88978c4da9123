/** A machine that is busy for a moment: work is held up wherever it waits, so that other work comes in between. */
import type { Chance } from './chance.ts';
import type { VirtualTime } from './virtual-time.ts';

/** The machine of a run, as far as it is busy. */
export interface BusyMachine {
  /** Makes it busy for so many milliseconds from now. */
  busyFor(ms: number): void;
  /** Returns the wait of a piece of work that comes now; undefined for none. */
  holdUp(): Promise<void> | undefined;
}

/** How often work is held up while the machine is busy, and for how long at most. */
const heldUp = { share: 0.3, maxMs: 1500 } as const;

/** Opens the machine; it is not busy. */
export function busyMachine(time: VirtualTime, draws: Chance): BusyMachine {
  let busyUntil = Number.NEGATIVE_INFINITY;
  return {
    busyFor(ms) {
      busyUntil = time.now() + ms;
    },
    holdUp() {
      if (time.now() >= busyUntil || !draws.happens(heldUp.share, 'work is held up')) return undefined;
      return new Promise((resolve) => time.after(draws.whole(1, heldUp.maxMs), resolve));
    },
  };
}
