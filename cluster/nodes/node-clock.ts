/** The clock of one of several nodes: it follows the database's, so that times of different nodes may be compared. */
import type { Clock } from '../../runtime/clock.ts';

/** A step back that is smaller than this is an error of measurement, and is not followed. */
const negligibleMs = 1_000;

/**
 * Makes the clock.
 * @param now the present time by the database's clock, epoch milliseconds, as far as this node knows it
 */
export function nodeClock(clock: Clock, now: () => number): Clock {
  let last = 0;
  return {
    now() {
      const current = now();
      if (current > last || last - current > negligibleMs) last = current;
      return last;
    },
    after: (delayMs, run) => clock.after(delayMs, run),
  };
}
