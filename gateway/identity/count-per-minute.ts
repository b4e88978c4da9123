/** Counts events by key and minute, in memory that forgets each minute after it has passed. */

import type { SharedCount } from '../../cluster/cluster.ts';
import { type Reason, storedReasons } from '../../reasons/reason.ts';
import type { Clock } from '../../runtime/clock.ts';

export const minuteMs = 60_000;

/**
 * Creates a counter. Each call adds `by` to the count of its key in the key's present minute, which begins with the
 * first call, and returns the sum. A clock that is set back begins a new minute.
 */
export function countPerMinute(clock: Pick<Clock, 'now'>): (key: string, by?: number) => number {
  /** The keys with their minutes, oldest first: with each new minute a key moves to the end. */
  const minutes = new Map<string, { readonly since: number; count: number }>();
  return (key, by = 1) => {
    const now = clock.now();
    for (const [old, { since }] of minutes) {
      if (Math.abs(now - since) < minuteMs) break;
      minutes.delete(old);
    }
    const known = minutes.get(key);
    if (known !== undefined && Math.abs(now - known.since) < minuteMs) {
      known.count += by;
      return known.count;
    }
    minutes.delete(key);
    minutes.set(key, { since: now, count: by });
    return by;
  };
}

/**
 * Creates a counter of what all nodes count: what another one does is counted here about a second later. Each call counts
 * once.
 * @param publishFrom the count at one node from which on it is published
 */
export function countForAll(
  clock: Pick<Clock, 'now'>,
  publishFrom: number,
  shared: SharedCount,
): (key: string) => number {
  const counts = countPerMinute(clock);
  const counted = shared(publishFrom, counts);
  return (key) => {
    counted(key);
    return counts(key);
  };
}

/**
 * Reports each problem of each frame once a minute, because the same one may come by the thousand (T-44). A problem
 * that no frame is to blame for is reported each time.
 */
export function onceAMinute(
  clock: Pick<Clock, 'now'>,
  report: (serial: string | undefined, problem: Reason) => void,
): (serial: string | undefined, problem: Reason) => void {
  const reports = countPerMinute(clock);
  return (serial, problem) => {
    if (serial === undefined || reports(`${serial} ${storedReasons(problem)}`) === 1) report(serial, problem);
  };
}
