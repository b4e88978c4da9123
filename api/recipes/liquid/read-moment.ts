/** Reads points in time, in the zone in which they were written (RC-37). */

/** A point in time and the minutes by which its zone is ahead of UTC. */
export interface ZonedMoment {
  readonly ms: number;
  readonly offset: number;
}

const minuteMs = 60_000;
const dayMs = 86_400_000;

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/**
 * Reads a moment: seconds as a number or its digits, `now` and `today`, ISO 8601, a time of this day, and what mail and
 * feeds write. What names no zone is UTC.
 * @param now the time that it is, in milliseconds
 * @returns undefined for what is not a time
 */
export function readMoment(value: unknown, now: number): ZonedMoment | undefined {
  if (typeof value === 'number') return { ms: Math.trunc(value) * 1_000, offset: 0 };
  if (typeof value !== 'string') return undefined;
  const text = value.trim().toLowerCase();
  if (text === 'now' || text === 'today') return { ms: now, offset: 0 };
  if (/^\d{1,15}$/.test(text)) return { ms: Number(text) * 1_000, offset: 0 };
  if (text === '' || text.length > 100) return undefined;
  return ofParts(withoutRemark(text).replace(basicIso, '$1-$2-$3 $4:$5:$6 '), now);
}

/** Mail names the zone once more in brackets behind the time. */
const withoutRemark = (text: string): string =>
  text.endsWith(')') && text.includes('(') ? text.slice(0, text.indexOf('(')) : text;

/** The form of calendars, without signs between its parts. */
const basicIso = /^(\d{4})(\d{2})(\d{2})t(\d{2})(\d{2})(\d{2}|(?!\d))/;

/** The year, the month and the day of a text, and what the text has besides. */
interface FoundDay {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly rest: string;
}

function ofParts(text: string, now: number): ZonedMoment | undefined {
  const found = dayIn(text, now);
  const { hours, minutes, seconds, rest } = clockIn(found?.rest ?? text) ?? {};
  if (found === undefined && hours === undefined) return undefined;
  const [h, m, s] = [hours ?? 0, minutes ?? 0, seconds ?? 0];
  if (h > 24 || m > 59 || s >= 61) return undefined;
  const { year, month, day } = found ?? thisDay(now);
  // A day that a month lacks is one of the next.
  if (month < 1 || month > 12 || day < 1 || day > 31) return undefined;
  const offset = offsetIn(rest ?? '');
  return { ms: Date.UTC(year, month - 1, day, h, m) + Math.round(s * 1_000) - offset * minuteMs, offset };
}

function thisDay(now: number): Omit<FoundDay, 'rest'> {
  const at = new Date(Math.floor(now / dayMs) * dayMs);
  return { year: at.getUTCFullYear(), month: at.getUTCMonth() + 1, day: at.getUTCDate() };
}

const inNumbers = /(?<!\d)(?:(\d{4})([-/.])(\d{1,2})\2(\d{1,2})|(\d{1,2})([-/.])(\d{1,2})\6(\d{4}))(?!\d)/;

/** In numbers a day stands after its month where the year is first, and in front of it where the year is last. */
function dayIn(text: string, now: number): FoundDay | undefined {
  const numbers = inNumbers.exec(text);
  if (numbers === null) return namedDayIn(text, now);
  const [whole, firstYear, , month, day, firstDay, , nextMonth, lastYear] = numbers;
  return {
    year: Number(firstYear ?? lastYear),
    month: Number(month ?? nextMonth),
    day: Number(day ?? firstDay),
    rest: text.replace(whole, ' '),
  };
}

const named = /(?<![a-z])(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*/;

/** `Tue, 03 Feb 2026`, `Feb 3, 2026`, `3-Feb-2026`, `February 2026`; without a year it is this one. */
function namedDayIn(text: string, now: number): FoundDay | undefined {
  const month = months.indexOf(named.exec(text)?.[1] ?? '') + 1;
  if (month === 0) return undefined;
  // A year may stand behind the time.
  const [, year] = /(?<![\d:+-]|[+-]\d)(\d{4})(?![\d:])/.exec(text) ?? /[-+](\d{4})$/.exec(text) ?? [];
  const [, day] = /(?<![\d:+.-])(\d{1,2})(?:st|nd|rd|th)?(?![\d:a-z]|\s*[ap]m\b)/.exec(text) ?? [];
  const rest = text.replace(named, ' ');
  const withoutYear = rest.replaceAll(/[-+]?(\d{4})(?!\d)/g, (whole, digits) => (digits === year ? ' ' : whole));
  return { year: Number(year ?? thisDay(now).year), month, day: Number(day ?? 1), rest: withoutYear };
}

const clock = /(?<!\d)(\d{1,2}):(\d{2})(?::(\d{2}(?:[.,]\d+)?))?\s*([ap]m\b)?|(?<!\d)(\d{1,2})\s*([ap]m)\b/;

interface FoundClock {
  readonly hours: number;
  readonly minutes: number;
  readonly seconds: number;
  /** The text behind it. */
  readonly rest: string;
}

function clockIn(text: string): FoundClock | undefined {
  const found = clock.exec(text);
  if (found === null) return undefined;
  const [whole, hour, minute = '0', second = '0', firstHalf, hourAlone, half = firstHalf] = found;
  const hours = Number(hour ?? hourAlone);
  return {
    hours: half === undefined ? hours : (hours % 12) + (half === 'pm' ? 12 : 0),
    minutes: Number(minute),
    seconds: Number(second.replace(',', '.')),
    rest: text.slice(found.index + whole.length),
  };
}

/** The zones that have names in mail, in hours. */
const zones: Readonly<Record<string, number>> = {
  est: -5,
  edt: -4,
  cst: -6,
  cdt: -5,
  mst: -7,
  mdt: -6,
  pst: -8,
  pdt: -7,
  cet: 1,
  cest: 2,
};

/** Reads the zone behind a time, in minutes. */
function offsetIn(text: string): number {
  const [, sign, hours, minutes = '0'] = /([+-])(\d{2}):?(\d{2})?(?!\d)/.exec(text) ?? [];
  if (hours !== undefined) return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  return (zones[/[a-z]{3,4}/.exec(text)?.[0] ?? ''] ?? 0) * 60;
}
