/** Keeps clients out for a while, in memory: a minute the first time, and twice as long each further time. */
import type { Clock } from '../../runtime/clock.ts';

const firstMs = 60_000;
const maxMs = 3_600_000;
/** The time after which the next exclusion counts as a first one. */
const forgottenMs = 3_600_000;

/** Creates the list of names that are kept out. Only the names of proven frames are added, so they are few. */
export function keepOut(clock: Pick<Clock, 'now'>) {
  const out = new Map<string, { readonly until: number; readonly pauseMs: number }>();

  return {
    /** Keeps these names out; the first one counts how often. @returns for how long, in milliseconds */
    begin(...names: readonly [string, ...string[]]): number {
      const now = clock.now();
      for (const [name, { until }] of out) if (until + forgottenMs < now) out.delete(name);
      const before = out.get(names[0]);
      const pauseMs = before === undefined ? firstMs : Math.min(2 * before.pauseMs, maxMs);
      for (const name of names) out.set(name, { until: now + pauseMs, pauseMs });
      return pauseMs;
    },
    /** True while a name is kept out. A clock that was set back keeps nobody out for longer. */
    includes(name: string): boolean {
      const entry = out.get(name);
      if (entry === undefined) return false;
      const leftMs = entry.until - clock.now();
      return leftMs > 0 && leftMs <= entry.pauseMs;
    },
    /** True when nobody is kept out, and so no client has to be looked up. */
    isEmpty: (): boolean => out.size === 0,
  };
}
