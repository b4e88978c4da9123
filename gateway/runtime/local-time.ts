/** Days and hours as the people before a frame count them. Pure. */

/** A moment in some time zone. `month` and `weekday` count from 1, Monday first. */
export interface LocalTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly weekday: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();
const mostFormats = 100;

/** Making a format costs more than using it. */
function numbersIn(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  if (formats.size >= mostFormats) formats.clear();
  formats.set(timeZone, format);
  return format;
}

/** What clocks in a zone show at a moment, epoch milliseconds. */
export function localTime(at: number, timeZone: string): LocalTime {
  const part: Record<string, number> = {};
  for (const { type, value } of numbersIn(timeZone).formatToParts(at)) part[type] = Number(value);
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0 } = part;
  const weekday = new Date(Date.UTC(year, month - 1, day)).getUTCDay() || 7;
  return { year, month, day, hour, minute, weekday };
}

/** `2026-03-29` for a moment in a zone. */
export function localDate(at: number, timeZone: string): string {
  const { year, month, day } = localTime(at, timeZone);
  return new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10);
}

/** The date so many days later. Dates are `2026-03-29`. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);
}

/** When a date begins in a zone, epoch milliseconds. Where midnight is skipped, the first moment after it. */
export function startOfDate(date: string, timeZone: string): number {
  const naive = Date.parse(date);
  // The zone's offset just before and just after: one of the two is right, or midnight does not exist.
  const guesses = [-86_400_000, 0, 86_400_000].map((shift) => naive - offsetAt(naive + shift, timeZone));
  const right = guesses.filter((at) => localDate(at, timeZone) === date && localDate(at - 1, timeZone) < date);
  if (right.length > 0) return Math.min(...right);
  // A skipped midnight lies between the guesses: the day begins where the clocks were moved to.
  let [before, after] = [Math.min(...guesses) - 3_600_000, Math.max(...guesses) + 3_600_000];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (localDate(middle, timeZone) < date) before = middle;
    else after = middle;
  }
  return after;
}

/**
 * When clocks in a zone show so many minutes after midnight of a date, epoch milliseconds: the first time where they show
 * it twice. What they skip is as long after their last right moment as if they had gone on.
 */
export function momentOf(date: string, minutes: number, timeZone: string): number {
  const naive = Date.parse(date) + minutes * 60_000;
  const [before, after] = [-86_400_000, 86_400_000].map((shift) => naive - offsetAt(naive + shift, timeZone));
  const right = [before, after].find((at) => at !== undefined && at + offsetAt(at, timeZone) === naive);
  return (right ?? before) as number;
}

/** How far clocks in a zone are ahead of UTC, milliseconds. */
function offsetAt(at: number, timeZone: string): number {
  const { year, month, day, hour, minute } = localTime(at, timeZone);
  return Date.UTC(year, month - 1, day, hour, minute) - Math.floor(at / 60_000) * 60_000;
}
