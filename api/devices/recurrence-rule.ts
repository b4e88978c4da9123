/**
 * Reads the `rrule` text of an update window: the parts of rules about days, weeks and months. Calendars silently
 * ignore parts that they do not know; here they are refused to the person who wrote them, and the rest goes to the one
 * reader of rules.
 */
import { dayOf, openingDays, type Recurrence, type UpdateWindow } from '../../gateway/frames/update-windows.ts';
import { wallClock, zoneOffset } from '../../runtime/local-time.ts';
import { readRule } from '../../runtime/recurrence/read-rule.ts';
import { dayMs } from '../../runtime/recurrence/recurrence.ts';
import { lastTime, readTime, type WrittenTime } from '../calendar/read-time.ts';
import { isTimezone } from '../http/field-shapes.ts';

/** When a window opens for the first time, by clocks in its zone. */
export type WindowStart = Pick<UpdateWindow, 'timeZone' | 'firstDay' | 'startMinutes'>;

/** The problem of a rule, in words for the person who wrote it. */
export class RuleProblem extends Error {}

const frequencies: Readonly<Record<string, UpdateWindow['every']>> = { DAILY: 'day', WEEKLY: 'week', MONTHLY: 'month' };
/** Parts of a rule that are understood. */
const parts = ['FREQ', 'INTERVAL', 'COUNT', 'UNTIL', 'BYDAY', 'BYMONTHDAY', 'WKST'];
const maxRuleLength = 500;
/** An interval or a count beyond it is a mistake. */
const maxTimes = 1000;
/** How far a rule is followed to find its last time. */
const furthestDays = 10 * 366;
/** Far enough for anyone who sets up a frame, and no further than arithmetic on days goes. */
const starts = { earliest: dayOf('2000-01-01'), latest: dayOf('2100-12-31') };

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
  return { ...start, lastDay: null, every, interval: 1, weekStart: 1, weekdays: [], monthDays: [], ...rule };
}

/** A moment, epoch milliseconds, as clocks in a zone show it. */
export function startAt(at: number, timeZone: string): WindowStart {
  return { timeZone, ...dayAndMinutes(wallClock(at, timeZone)) };
}

function dayAndMinutes(naive: number): Pick<WindowStart, 'firstDay' | 'startMinutes'> {
  const firstDay = Math.floor(naive / dayMs);
  return { firstDay, startMinutes: Math.floor((naive - firstDay * dayMs) / 60_000) };
}

/**
 * @param text lines `DTSTART…` and `RRULE:…`, or the rule alone
 * @param timeZone where `DTSTART` names none
 * @param start where there is no `DTSTART`
 * @throws RuleProblem
 */
export function readWindowRule(text: string, timeZone: string, start: WindowStart | undefined): Recurrence {
  if (text.length > maxRuleLength) fails(`longer than ${maxRuleLength} characters`);
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
  const { interval, weekStart, days, by } = readLimited(given, every);
  const recurrence = recurring(start, every, {
    interval,
    weekStart: weekStart + 1,
    weekdays: days.map(({ weekday, nth }) => ({ weekday: weekday + 1, nth })),
    monthDays: by.BYMONTHDAY ?? [],
  });
  const until = given.get('UNTIL');
  const count = given.get('COUNT');
  if (until !== undefined) return { ...recurrence, lastDay: lastDayUntil(until, start) };
  return count === undefined
    ? recurrence
    : { ...recurrence, lastDay: lastDayOf(recurrence, wholeNumber('COUNT', count)) };
}

/** Reads the days that a rule names, and refuses rules that update windows do not support. */
function readLimited(given: ReadonlyMap<string, string>, every: UpdateWindow['every']): ReturnType<typeof readRule> {
  const [interval, weekStart] = [given.get('INTERVAL') ?? '1', given.get('WKST') ?? 'MO'];
  wholeNumber('INTERVAL', interval);
  if (!/^(MO|TU|WE|TH|FR|SA|SU)$/.test(weekStart)) fails('WKST is to be a weekday');
  const read = [`FREQ=${given.get('FREQ')}`, `INTERVAL=${interval}`, `WKST=${weekStart}`];
  const list = (name: string, check: (item: string) => void): void => {
    const items = given
      .get(name)
      ?.split(',')
      .map((item) => item.trim());
    if (items === undefined) return;
    items.forEach(check);
    read.push(`${name}=${items.join()}`);
  };
  list('BYDAY', (item) => checkWeekday(item, every));
  list('BYMONTHDAY', checkMonthDay);
  return readRule(read.join(';'));
}

function readStart(line: string, timeZone: string): WindowStart {
  const [, options = '', value = ''] = /^DTSTART((?:;[^:]*)?):(.*)$/i.exec(line) ?? [];
  const named = /;TZID="?([^";]+)"?/i.exec(options)?.[1];
  if (named !== undefined && !isTimezone(named)) fails('DTSTART names a time zone that is not known');
  if (/;(?!TZID=|VALUE=DATE(-TIME)?(;|$))/i.test(options)) fails('DTSTART has options besides TZID');
  const start = readMinute('DTSTART', value.toUpperCase());
  return { timeZone: start.isUtc ? 'UTC' : (named ?? timeZone), ...dayAndMinutes(start.naive) };
}

/** `20260601`, `20260601T080000` or `20260601T060000Z`, whose seconds are ignored: windows open at whole minutes. */
function readMinute(name: string, text: string): WrittenTime & { readonly text: string } {
  const minute = /^\d{8}(T\d{6}Z?)?$/.test(text) ? text.replace(/(T\d{4})\d\d/, '$100') : '';
  const time = readTime(minute) ?? fails(`${name} is not a time such as 20260601T080000`);
  return { ...time, text: minute };
}

/** The last day on which a window may open when it must not after a time. */
function lastDayUntil(text: string, { timeZone, startMinutes }: WindowStart): number {
  const until = readMinute('UNTIL', text);
  const last = lastTime({ until: until.text }, { isDate: false, offset: zoneOffset(timeZone) });
  return Math.floor((last - startMinutes * 60_000) / dayMs);
}

/** The day on which a window opens for the last of so many times. */
function lastDayOf(recurrence: Recurrence, count: number): number {
  let times = 0;
  for (const day of openingDays(recurrence, recurrence.firstDay, recurrence.firstDay + furthestDays)) {
    if (++times === count) return day;
  }
  fails('COUNT reaches further than ten years');
}

function checkWeekday(text: string, every: UpdateWindow['every']): void {
  const [weekday, nth] = /^([+-]?[1-5])?(?:MO|TU|WE|TH|FR|SA|SU)$/.exec(text) ?? [];
  if (weekday === undefined) fails('BYDAY is to hold weekdays such as MO or 1MO');
  if (nth !== undefined && every !== 'month') fails('BYDAY counts weekdays, which goes with MONTHLY only');
}

function checkMonthDay(text: string): void {
  const day = /^[+-]?\d{1,2}$/.test(text) ? Math.abs(Number(text)) : 0;
  if (day === 0 || day > 31) fails('BYMONTHDAY is to hold days from 1 to 31, or from -31');
}

function wholeNumber(name: string, text: string): number {
  const number = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  return number >= 1 && number <= maxTimes ? number : fails(`${name} is to be 1 to ${maxTimes}`);
}

function fails(problem: string): never {
  throw new RuleProblem(problem);
}
