/**
 * Reads the `rrule` text of an update window (C-59): what calendars write of days, weeks and months. A rule is understood here
 * once, for the few tests that `opensOn` makes when a frame wakes, and what cannot be is refused to the person who wrote it:
 * the reader of calendars (`api/calendar/recurrence.mjs`) knows more rules and leaves out in silence what it does not know.
 */
import { dayNumber, opensOn, type UpdateWindow, weekdayOf } from '../../gateway/frames/update-windows.ts';
import { localTime } from '../../gateway/runtime/local-time.ts';
import { isTimezone } from '../http/field-shapes.ts';

/** When a window opens for the first time, by clocks in its zone. */
export type WindowStart = Pick<UpdateWindow, 'timeZone' | 'firstDay' | 'startMinutes'>;

/** When it opens, for how long left out. */
export type Recurrence = Omit<UpdateWindow, 'durationMinutes'>;

/** What is wrong with a rule, in words for the person who wrote it. */
export class RuleProblem extends Error {}

const weekdays = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const frequencies: Readonly<Record<string, UpdateWindow['every']>> = { DAILY: 'day', WEEKLY: 'week', MONTHLY: 'month' };
/** Parts of a rule that are understood. */
const parts = ['FREQ', 'INTERVAL', 'COUNT', 'UNTIL', 'BYDAY', 'BYMONTHDAY', 'WKST'];
const longestRule = 500;
/** An interval or a count beyond it is a mistake. */
const mostTimes = 1000;
/** How far a rule is followed to find its last time. */
const furthestDays = 10 * 366;
/** Far enough for whoever sets up a frame, and no further than arithmetic on days goes. */
const starts = { earliest: dayNumber('2000-01-01'), latest: dayNumber('2100-12-31') };

/**
 * A window that opens again from its start on.
 * @throws RuleProblem
 */
export function recurring(
  start: WindowStart,
  every: UpdateWindow['every'],
  rule: Partial<Recurrence> = {},
): Recurrence {
  if (start.firstDay < starts.earliest || start.firstDay > starts.latest) fails('begins beyond the years 2000 to 2100');
  const recurrence = {
    ...start,
    lastDay: null,
    every,
    interval: 1,
    weekStart: 1,
    weekdays: [],
    monthDays: [],
    ...rule,
  };
  if (recurrence.weekdays.length + recurrence.monthDays.length > 0) return recurrence;
  if (every === 'week') return { ...recurrence, weekdays: [{ weekday: weekdayOf(start.firstDay), nth: 0 }] };
  const dayOfMonth = new Date(start.firstDay * 86_400_000).getUTCDate();
  return every === 'month' ? { ...recurrence, monthDays: [dayOfMonth] } : recurrence;
}

/** A moment, epoch milliseconds, as clocks in a zone show it. */
export function startAt(at: number, timeZone: string): WindowStart {
  const { year, month, day, hour, minute } = localTime(at, timeZone);
  return { timeZone, firstDay: Date.UTC(year, month - 1, day) / 86_400_000, startMinutes: hour * 60 + minute };
}

/**
 * @param text lines `DTSTART…` and `RRULE:…`, or the rule alone
 * @param timeZone where `DTSTART` names none
 * @param start where there is no `DTSTART`
 * @throws RuleProblem
 */
export function readRule(text: string, timeZone: string, start: WindowStart | undefined): Recurrence {
  if (text.length > longestRule) fails(`longer than ${longestRule} characters`);
  const lines = text.split(/\r?\n|\r/).filter((line) => line.trim() !== '');
  const dtstarts = lines.filter((line) => /^DTSTART[;:]/i.test(line));
  const [rule, ...more] = lines.filter((line) => !dtstarts.includes(line));
  if (rule === undefined) fails('has no RRULE');
  if (more.length > 0 || dtstarts.length > 1) fails('holds more than one DTSTART and one RRULE');
  const given = new Map(
    rule
      .trim()
      .toUpperCase()
      .replace(/^RRULE:/, '')
      .split(';')
      .filter((part) => part !== '')
      .map((part): [string, string] => [part.split('=')[0] ?? '', part.split('=')[1] ?? '']),
  );
  for (const name of given.keys()) {
    if (!parts.includes(name)) fails(`${name.slice(0, 20)} is not understood, only ${parts.join(', ')}`);
  }
  const dtstart = dtstarts[0]?.trim();
  const begins = dtstart === undefined ? start : readStart(dtstart, timeZone);
  if (begins === undefined) fails('has no DTSTART, and there is no startsAt');
  return limited(begins, given);
}

function limited(start: WindowStart, given: ReadonlyMap<string, string>): Recurrence {
  const every = frequencies[given.get('FREQ') ?? ''];
  if (every === undefined) fails('FREQ is to be DAILY, WEEKLY or MONTHLY');
  if (every === 'week' && given.has('BYMONTHDAY')) fails('BYMONTHDAY does not go with WEEKLY');
  if (given.has('COUNT') && given.has('UNTIL')) fails('COUNT does not go with UNTIL');
  const recurrence = recurring(start, every, {
    interval: wholeNumber('INTERVAL', given.get('INTERVAL') ?? '1'),
    weekStart: weekdays.indexOf(given.get('WKST') ?? 'MO') + 1 || fails('WKST is to be a weekday'),
    weekdays: listOf(given.get('BYDAY'), (item) => readWeekday(item, every)),
    monthDays: listOf(given.get('BYMONTHDAY'), readMonthDay),
  });
  const until = given.get('UNTIL');
  const count = given.get('COUNT');
  if (until !== undefined) return { ...recurrence, lastDay: lastDayUntil(until, start) };
  return count === undefined
    ? recurrence
    : { ...recurrence, lastDay: lastDayOf(recurrence, wholeNumber('COUNT', count)) };
}

function readStart(line: string, timeZone: string): WindowStart {
  const [, options = '', value = ''] = /^DTSTART((?:;[^:]*)?):(.*)$/i.exec(line) ?? [];
  const named = /;TZID="?([^";]+)"?/i.exec(options)?.[1];
  if (named !== undefined && !isTimezone(named)) fails('DTSTART names a time zone that is not known');
  if (/;(?!TZID=|VALUE=DATE(-TIME)?(;|$))/i.test(options)) fails('DTSTART has options besides TZID');
  const { day, minutes, isUtc } = readTime('DTSTART', value.toUpperCase());
  return { timeZone: isUtc ? 'UTC' : (named ?? timeZone), firstDay: day, startMinutes: minutes };
}

/** `20260601`, `20260601T080000` or `20260601T060000Z`. */
function readTime(name: string, text: string): { day: number; minutes: number; isUtc: boolean; isDate: boolean } {
  const [, year, month, day, time, hour = '0', minute = '0', utc] =
    /^(\d{4})(\d\d)(\d\d)(T(\d\d)(\d\d)\d\d(Z)?)?$/.exec(text) ?? [];
  const date = `${year}-${month}-${day}`;
  const [hours, minutes] = [Number(hour), Number(minute)];
  const isReal = !Number.isNaN(Date.parse(date)) && new Date(date).toISOString().startsWith(date);
  if (!isReal || hours > 23 || minutes > 59) fails(`${name} is no time such as 20260601T080000`);
  const at = { day: dayNumber(date), minutes: hours * 60 + minutes };
  return { ...at, isUtc: utc !== undefined, isDate: time === undefined };
}

/** The last day on which a window may open when it must not after a time. */
function lastDayUntil(text: string, start: WindowStart): number {
  const until = readTime('UNTIL', text);
  if (until.isDate) return until.day;
  const local = until.isUtc
    ? startAt(until.day * 86_400_000 + until.minutes * 60_000, start.timeZone)
    : { firstDay: until.day, startMinutes: until.minutes };
  return local.startMinutes < start.startMinutes ? local.firstDay - 1 : local.firstDay;
}

/** The day on which a window opens for the last of so many times. */
function lastDayOf(recurrence: Recurrence, count: number): number {
  const window = { ...recurrence, durationMinutes: 0 };
  let times = 0;
  for (let day = recurrence.firstDay; day < recurrence.firstDay + furthestDays; day++) {
    if (opensOn(window, day) && ++times === count) return day;
  }
  fails('COUNT reaches further than ten years');
}

function readWeekday(text: string, every: UpdateWindow['every']): UpdateWindow['weekdays'][number] {
  const [, nth = '0', name = ''] = /^([+-]?[1-5])?(MO|TU|WE|TH|FR|SA|SU)$/.exec(text) ?? [];
  if (name === '') fails('BYDAY is to hold weekdays such as MO or 1MO');
  if (nth !== '0' && every !== 'month') fails('BYDAY counts weekdays, which goes with MONTHLY only');
  return { weekday: weekdays.indexOf(name) + 1, nth: Number(nth) };
}

function readMonthDay(text: string): number {
  const day = /^[+-]?\d{1,2}$/.test(text) ? Number(text) : 0;
  return day !== 0 && Math.abs(day) <= 31 ? day : fails('BYMONTHDAY is to hold days from 1 to 31, or from -31');
}

function listOf<Item>(text: string | undefined, read: (item: string) => Item): Item[] {
  return text === undefined ? [] : text.split(',').map((item) => read(item.trim()));
}

function wholeNumber(name: string, text: string): number {
  const number = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  return number >= 1 && number <= mostTimes ? number : fails(`${name} is to be 1 to ${mostTimes}`);
}

function fails(problem: string): never {
  throw new RuleProblem(problem);
}
