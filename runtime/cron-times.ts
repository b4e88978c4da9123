/** The times of a cron line by the clocks of a zone, over both changes of clocks. */
import { Cron } from 'croner';
import { wallClock, zoneOffset } from './local-time.ts';
import { momentOfWallClock } from './wall-clock.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Clocks are not moved by more. */
const maxMovedMs = 3 * hourMs;

/** Returns the first time after a moment, epoch milliseconds; undefined when there is none. */
type NextTime = (after: number) => number | undefined;

/**
 * Reads a line of five fields. A line that names hours names times of a day: each comes once, the first time where clocks show
 * it twice, and as much later as clocks are moved where they skip it. Any other line names a pace, which goes on.
 * @throws where the line cannot be read
 */
export function cronTimes(line: string, timeZone: string): NextTime {
  const [, hours = ''] = line.trim().split(/\s+/);
  const isPace = /[*?]/.test(hours);
  const times = new Cron(line, { mode: '5-part', timezone: isPace ? timeZone : 'UTC' });
  const next: NextTime = (after) => times.nextRun(new Date(after))?.getTime();
  if (isPace) return next;
  const offset = zoneOffset(timeZone);
  return (after) => {
    let best: number | undefined;
    let last = Number.POSITIVE_INFINITY;
    for (let naive = next(wallClock(after, timeZone) - maxMovedMs); naive !== undefined; naive = next(naive)) {
      if (naive > last) break;
      const at = momentOfWallClock(naive, offset);
      if (at <= after) continue;
      best = Math.min(best ?? at, at);
      // Times that are skipped come among later ones.
      last = offset(at - dayMs) === offset(at + dayMs) ? naive : Math.min(last, naive + maxMovedMs);
    }
    return best;
  };
}
