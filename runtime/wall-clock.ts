/** Computes moments from the times that clocks in a time zone show. */

/** The time by which clocks in a zone are ahead of UTC at a moment; both are in milliseconds. */
export type Offset = (at: number) => number;

const dayMs = 86_400_000;
/** The clocks of a zone are not changed twice within this time. */
const stretchMs = 4 * dayMs;
/** The number of stretches that are remembered of one zone, before they are looked at again. */
const maxStretches = 2_000;

/**
 * Returns the moment at which clocks show a time. Where they show it twice it is the first one; a time that they skip
 * is as long after their last right moment as if they had gone on (RFC 5545, 3.3.5).
 * @param naive the time that clocks show, in milliseconds as if it were UTC
 */
export function momentOfWallClock(naive: number, offset: Offset) {
  const before = naive - offset(naive - dayMs);
  if (before + offset(before) === naive) return before;
  const after = naive - offset(naive + dayMs);
  return after + offset(after) === naive ? after : before;
}

/**
 * Returns the offsets of a zone by its IANA name. Asking costs a hundred times as much as remembering, so each stretch
 * of a few days is looked at once: where clocks are the same at both its ends they were not moved, otherwise the moment
 * of the change is found.
 * @returns undefined for a name that is not a zone
 */
export function ianaOffset(timeZone: string): Offset | undefined {
  const ask = askedOffset(timeZone);
  if (ask === undefined) return undefined;
  const known = new Map<number, { changesAt: number; before: number; after: number }>();
  const stretchFrom = (begin: number) => {
    let [from, changesAt] = [begin, begin + stretchMs];
    const [before, after] = [ask(from), ask(changesAt)];
    while (before !== after && changesAt - from > 1) {
      const middle = Math.floor((from + changesAt) / 2);
      if (ask(middle) === before) from = middle;
      else changesAt = middle;
    }
    return { changesAt, before, after };
  };
  return (moment) => {
    const number = Math.floor(moment / stretchMs);
    let stretch = known.get(number);
    if (stretch === undefined) {
      stretch = stretchFrom(number * stretchMs);
      if (known.size >= maxStretches) known.clear();
      known.set(number, stretch);
    }
    return moment < stretch.changesAt ? stretch.before : stretch.after;
  };
}

/**
 * Returns the offsets of a zone, asked for again at every moment.
 * @returns undefined for a name that is not a zone
 */
function askedOffset(timeZone: string): Offset | undefined {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    return undefined;
  }
  return (moment) => {
    const [month = 1, day = 1, year = 1970, hour = 0, minute = 0, second = 0] = (
      format.format(moment).match(/\d+/g) ?? []
    ).map(Number);
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(moment / 1000) * 1000;
  };
}
