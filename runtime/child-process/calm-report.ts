/** Lines of the log about processes that ended: hostile work may end them by the thousand. */
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';

/** The time between two lines. */
const quietMs = 60_000;

/** Returns what logs a reason under a message, at most once a minute, with the number of those that were left out. */
export function calmReport(clock: Clock, logger: Pick<Logger, 'warn'>, message: string): (reason: string) => void {
  let [loggedAt, leftOut] = [Number.NEGATIVE_INFINITY, 0];
  return (reason) => {
    if (clock.now() - loggedAt < quietMs) {
      leftOut++;
      return;
    }
    logger.warn({ reason, leftOut }, message);
    [loggedAt, leftOut] = [clock.now(), 0];
  };
}
