/** Counts what happens to each key within a minute, in memory that what is over leaves again. */
import type { Clock } from '../runtime/clock.ts';

export const minuteMs = 60_000;

/**
 * Makes a counter: each call counts once and returns how often its key was counted in its present minute, which begins
 * with the first. A clock that is set back begins a new one.
 */
export function countPerMinute(clock: Pick<Clock, 'now'>): (key: string) => number {
  /** Oldest first: a key enters anew, at the end, with each minute. */
  const minutes = new Map<string, { readonly since: number; count: number }>();
  return (key) => {
    const now = clock.now();
    for (const [old, { since }] of minutes) {
      if (Math.abs(now - since) < minuteMs) break;
      minutes.delete(old);
    }
    const known = minutes.get(key);
    if (known !== undefined && Math.abs(now - known.since) < minuteMs) return ++known.count;
    minutes.delete(key);
    minutes.set(key, { since: now, count: 1 });
    return 1;
  };
}

/**
 * Says of each frame each problem once a minute: what comes by the thousand is recorded once (B-19, T-44). What no
 * frame can be blamed for is said each time.
 */
export function onceAMinute(
  clock: Pick<Clock, 'now'>,
  say: (serial: string | undefined, problem: string) => void,
): (serial: string | undefined, problem: string) => void {
  const said = countPerMinute(clock);
  return (serial, problem) => {
    if (serial === undefined || said(`${serial} ${problem}`) === 1) say(serial, problem);
  };
}
