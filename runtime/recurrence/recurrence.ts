/**
 * The one engine for the times that a rule of RFC 5545 names, for calendars, playlists and update windows. It computes
 * with the numbers that clocks show, as milliseconds as if they were UTC; zones are left to its callers. A period that
 * the rule counts in is looked at as a whole, so that a rule without COUNT is followed from the period that is asked
 * for, however long ago it began.
 */
import type { Rule } from './read-rule.ts';

export const dayMs = 86_400_000;
const hourMs = 3_600_000;
/** The work that may still be done, in days looked at, because such a bound holds on a busy machine too (T-53). */
export class Budget {
  left: number;

  constructor(left: number) {
    this.left = left;
  }

  spend(amount: number) {
    this.left -= amount;
    if (this.left < 0) throw new BudgetSpent('reading it takes too long');
  }
}

export class BudgetSpent extends Error {}

/** Returns the number of days since 1970. `month` may count beyond the year. */
export function dayNumber(year: number, month: number, day: number) {
  return new Date(0).setUTCFullYear(year, month - 1, day) / dayMs;
}

function civil(day: number): [year: number, month: number, day: number] {
  const date = new Date(day * dayMs);
  return [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
}

/** Returns the weekday of a day; Monday is 0. */
const weekdayOf = (day: number) => (((day + 3) % 7) + 7) % 7;

/**
 * Yields the times of a series, ascending: its start, whatever the rule says of it, and the times that the rule names
 * after it.
 * @param range `to` exclusive, `until` inclusive
 */
export function* occurrences(
  rule: Rule,
  start: number,
  { from, to, until = Infinity }: { from: number; to: number; until?: number },
  budget: Budget,
) {
  const end = Math.min(to, until + 1);
  if (start >= from && start < end) yield start;
  let counted = 1;
  for (const at of namedTimes(rule, start, { from: rule.count === undefined ? from : start, to: end }, budget)) {
    if (at === start) continue;
    if (++counted > (rule.count ?? Infinity)) return;
    if (at >= from) yield at;
  }
}

/**
 * Yields the times that a rule itself names from its start on, ascending. COUNT and UNTIL are left to the caller.
 * @param range `to` exclusive
 */
export function* namedTimes(rule: Rule, start: number, { from, to }: { from: number; to: number }, budget: Budget) {
  const filled = filledIn(rule, start, budget);
  const first = periodOf(filled, start);
  const skipped = Math.max(0, Math.floor((periodOf(filled, from) - first) / rule.interval));
  for (let period = first + skipped * rule.interval; beginOf(filled, period) < to; period += rule.interval) {
    budget.spend(filled.times.within.length);
    for (const at of timesIn(filled, period, budget)) {
      if (at >= to) return;
      if (at >= start && at >= from) yield at;
    }
  }
}

/** Fills a rule in: the parts that it leaves open are as its start (RFC 5545, 3.3.10). */
function filledIn(rule: Rule, start: number, budget: Budget) {
  const day = Math.floor(start / dayMs);
  const [, month, date] = civil(day);
  const { freq, days } = rule;
  const { BYMONTH = [], BYWEEKNO = [], BYYEARDAY = [], BYMONTHDAY = [], BYSETPOS = [], ...by } = rule.by;
  const times = timesOf(freq, by, start);
  budget.spend(times.within.length);
  const filled = { ...rule, BYMONTH, BYWEEKNO, BYYEARDAY, BYMONTHDAY, BYSETPOS, times };
  if (BYYEARDAY.length + BYMONTHDAY.length + days.length === 0 && freq !== 'DAILY' && freq !== 'HOURLY') {
    if (freq === 'WEEKLY' || BYWEEKNO.length > 0) filled.days = [{ weekday: weekdayOf(day), nth: 0 }];
    else {
      if (freq === 'YEARLY' && BYMONTH.length === 0) filled.BYMONTH = [month];
      filled.BYMONTHDAY = [date];
    }
  }
  return { ...filled, isDay: dayTest(filled) };
}

/** The parts of a rule that name days. */
export type DayRule = Rule & {
  BYMONTH: readonly number[];
  BYWEEKNO: readonly number[];
  BYYEARDAY: readonly number[];
  BYMONTHDAY: readonly number[];
};
export type Filled = ReturnType<typeof filledIn>;

/**
 * Returns the times of a day, or of an hour, ascending; the times of a day come with the hours that the rule lists, if
 * any.
 */
function timesOf(
  freq: string,
  { BYHOUR = [], BYMINUTE = [], BYSECOND = [] }: Readonly<Record<string, readonly number[]>>,
  start: number,
) {
  const own = new Date(start);
  const or = (given: readonly number[], number: number) => (given.length > 0 ? given : [number]);
  const hours = freq === 'HOURLY' ? [0] : or(BYHOUR, own.getUTCHours());
  const minutes = or(BYMINUTE, own.getUTCMinutes());
  const seconds = or(BYSECOND, own.getUTCSeconds());
  const within = hours.flatMap((hour) =>
    minutes.flatMap((minute) => seconds.map((second) => ((hour * 60 + minute) * 60 + second) * 1000)),
  );
  return { within, hours: freq === 'HOURLY' && BYHOUR.length > 0 ? BYHOUR : undefined };
}

/** Returns the number of the year, month, week, day or hour that a time lies in. */
function periodOf({ freq, weekStart }: Filled, at: number) {
  const day = Math.floor(at / dayMs);
  if (freq === 'HOURLY') return Math.floor(at / hourMs);
  if (freq === 'DAILY') return day;
  if (freq === 'WEEKLY') return Math.floor((day + 3 - weekStart) / 7);
  const [year, month] = civil(day);
  return freq === 'YEARLY' ? year : year * 12 + month - 1;
}

function beginOf({ freq, weekStart }: Filled, period: number) {
  if (freq === 'HOURLY') return period * hourMs;
  if (freq === 'DAILY') return period * dayMs;
  if (freq === 'WEEKLY') return (period * 7 - 3 + weekStart) * dayMs;
  return (freq === 'YEARLY' ? dayNumber(period, 1, 1) : dayNumber(0, period + 1, 1)) * dayMs;
}

function timesIn(rule: Filled, period: number, budget: Budget): number[] {
  const { freq, times, BYSETPOS } = rule;
  const begin = beginOf(rule, period);
  let found: number[] = [];
  if (freq === 'HOURLY') {
    if (times.hours?.includes(period - Math.floor(period / 24) * 24) === false) return [];
    if (rule.isDay(Math.floor(period / 24))) found = times.within.map((time) => begin + time);
  } else {
    const days = daysIn(rule, period, budget);
    budget.spend(Math.max(0, days.length - 1) * times.within.length);
    found = days.flatMap((day) => times.within.map((time) => day * dayMs + time));
  }
  if (BYSETPOS.length === 0) return found;
  const picked = BYSETPOS.flatMap((place) => found.at(place > 0 ? place - 1 : place) ?? []);
  return [...new Set(picked)].sort((a, b) => a - b);
}

function daysIn(rule: Filled, period: number, budget: Budget) {
  const first = beginOf(rule, period) / dayMs;
  if (rule.freq === 'DAILY') return rule.isDay(first) ? [first] : [];
  if (rule.freq === 'WEEKLY') return [0, 1, 2, 3, 4, 5, 6].map((more) => first + more).filter((day) => rule.isDay(day));
  const days = [];
  const [year, begins] = civil(first);
  for (let month = begins; month <= (rule.freq === 'YEARLY' ? 12 : begins); month++) {
    if (rule.BYMONTH.length > 0 && !rule.BYMONTH.includes(month)) continue;
    const end = dayNumber(year, month + 1, 1);
    budget.spend(31);
    for (let day = dayNumber(year, month, 1); day < end; day++) if (rule.isDay(day)) days.push(day);
  }
  return days;
}

/** Makes the test whether a rule names a day. It looks at the month of days in a row once. */
function dayTest(rule: DayRule): (day: number) => boolean {
  const { BYMONTH, BYMONTHDAY, days } = rule;
  const weekdays = days.reduce((bits, { weekday }) => bits | (1 << weekday), 0);
  const isInYear = yearTest(rule);
  let month = { year: 0, begin: 0, end: 0, isNamed: false };
  return (day) => {
    if (day < month.begin || day >= month.end) {
      const [year, number, date] = civil(day);
      const isNamed = isListed(BYMONTH, number, 12);
      month = { year, begin: day - date + 1, end: dayNumber(year, number + 1, 1), isNamed };
    }
    return (
      month.isNamed &&
      (weekdays === 0 || (weekdays & (1 << weekdayOf(day))) !== 0) &&
      isListed(BYMONTHDAY, day - month.begin + 1, month.end - month.begin) &&
      (isInYear === undefined || isInYear(day, month))
    );
  };
}

/**
 * Makes the test of the conditions that a rule has for a day besides its month, its date and its weekday.
 * @returns undefined for a rule without such conditions
 */
function yearTest({ BYMONTH, BYWEEKNO, BYYEARDAY, days, freq, weekStart }: DayRule) {
  const counts = days.some(({ nth }) => nth !== 0) && (freq === 'MONTHLY' || freq === 'YEARLY');
  if (!counts && BYYEARDAY.length + BYWEEKNO.length === 0) return undefined;
  const inMonth = freq === 'MONTHLY' || BYMONTH.length > 0;
  return (day: number, month: { year: number; begin: number; end: number }) => {
    const [yearBegin, yearEnd] = [dayNumber(month.year, 1, 1), dayNumber(month.year + 1, 1, 1)];
    if (!isListed(BYYEARDAY, day - yearBegin + 1, yearEnd - yearBegin)) return false;
    if (BYWEEKNO.length > 0 && !isListed(BYWEEKNO, ...weekOf(day, weekStart))) return false;
    if (!counts) return true;
    const { begin, end } = inMonth ? month : { begin: yearBegin, end: yearEnd };
    const [nth, fromEnd] = [Math.floor((day - begin) / 7) + 1, -Math.floor((end - 1 - day) / 7) - 1];
    return days.some(
      (one) => one.weekday === weekdayOf(day) && (one.nth === 0 || one.nth === nth || one.nth === fromEnd),
    );
  };
}

/** Returns whether a part lists a number, or the same number counted from the end; an empty part asks for nothing. */
function isListed(list: readonly number[], number: number, length: number) {
  return list.length === 0 || list.includes(number) || list.includes(number - length - 1);
}

/**
 * Returns the number of a day's week and the number of weeks of its year: a week is of the year that most of its days
 * are in.
 */
function weekOf(day: number, weekStart: number): [number: number, weeks: number] {
  const middle = Math.floor((day + 3 - weekStart) / 7) * 7 + weekStart;
  const [year] = civil(middle);
  const [begin, end] = [dayNumber(year, 1, 1), dayNumber(year + 1, 1, 1)];
  const number = Math.floor((middle - begin) / 7) + 1;
  return [number, number + Math.floor((end - 1 - middle) / 7)];
}
