/**
 * The times that a rule of RFC 5545 names. Arithmetic on the numbers that clocks show, as milliseconds as if they were
 * UTC; zones are for others. A period that the rule counts in is looked at as a whole, so that one without COUNT is
 * followed from the period that is asked for, however long ago it began. Plain JavaScript for the thread that reads feeds.
 */

export const dayMs = 86_400_000;
const hourMs = 3_600_000;
const weekdays = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
/** Least and most of what a part may list. */
const lists = {
  BYMONTH: [1, 12],
  BYWEEKNO: [-53, 53],
  BYYEARDAY: [-366, 366],
  BYMONTHDAY: [-31, 31],
  BYHOUR: [0, 23],
  BYMINUTE: [0, 59],
  BYSECOND: [0, 59],
  BYSETPOS: [-366, 366],
};

/** Work that may still be done, in days looked at: T-53 holds on a busy machine too. */
export class Budget {
  constructor(/** @type {number} */ left) {
    this.left = left;
  }

  spend(/** @type {number} */ amount) {
    this.left -= amount;
    if (this.left < 0) throw new BudgetSpent('reading it takes too long');
  }
}

export class BudgetSpent extends Error {}

/**
 * @typedef {{ freq: string, interval: number, count: number | undefined, until: string | undefined, weekStart: number,
 *   days: readonly { weekday: number, nth: number }[], by: Readonly<Record<string, readonly number[]>> }} Rule
 */

/**
 * Reads what follows `RRULE:`. Throws at what cannot be followed.
 * @param {string} text
 * @returns {Rule}
 */
export function readRule(text) {
  const given = new Map(
    text
      .toUpperCase()
      .split(';')
      .map((part) => {
        const [name = '', value = ''] = part.split('=');
        return [name.trim(), value.trim()];
      }),
  );
  const freq = given.get('FREQ') ?? '';
  if (!['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY', 'HOURLY'].includes(freq)) throw new Error('no such FREQ');
  // RFC 7529: with these values a rule means what it means without them.
  if ((given.get('RSCALE') ?? 'GREGORIAN') !== 'GREGORIAN') throw new Error('counts by another calendar');
  if ((given.get('SKIP') ?? 'OMIT') !== 'OMIT') throw new Error('moves days that do not exist');
  const weekStart = weekdays.indexOf(given.get('WKST') ?? 'MO');
  if (weekStart < 0) throw new Error('no such WKST');
  const by = Object.fromEntries(
    Object.entries(lists).map(([name, [least = 0, most = 0]]) => [name, numbersOf(given.get(name), least, most)]),
  );
  const [count] = numbersOf(given.get('COUNT'), 1, 1_000_000);
  const [interval = 1] = numbersOf(given.get('INTERVAL'), 1, 100_000);
  return { freq, interval, count, until: given.get('UNTIL'), weekStart, days: weekdaysOf(given.get('BYDAY')), by };
}

/** @returns {number[]} ascending */
function numbersOf(/** @type {string | undefined} */ text, /** @type {number} */ least, /** @type {number} */ most) {
  const items = text === undefined ? [] : text.split(',');
  const isOne = (/** @type {string} */ item) =>
    /^[+-]?\d{1,7}$/.test(item) && Number(item) >= least && Number(item) <= most && (least >= 0 || Number(item) !== 0);
  if (!items.every(isOne)) throw new Error('no list of such numbers');
  return [...new Set(items.map(Number))].sort((a, b) => a - b);
}

function weekdaysOf(/** @type {string | undefined} */ text) {
  return [...new Set(text?.split(','))].map((item) => {
    const [, nth = '0', name = ''] = /^([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)$/.exec(item) ?? [];
    if (name === '') throw new Error('no weekday');
    return { weekday: weekdays.indexOf(name), nth: Number(nth) };
  });
}

/** Days since 1970. `month` may count beyond the year. */
export function dayNumber(/** @type {number} */ year, /** @type {number} */ month, /** @type {number} */ day) {
  return new Date(0).setUTCFullYear(year, month - 1, day) / dayMs;
}

/** @returns {[year: number, month: number, day: number]} */
function civil(/** @type {number} */ day) {
  const date = new Date(day * dayMs);
  return [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
}

/** Monday is 0. */
const weekdayOf = (/** @type {number} */ day) => (((day + 3) % 7) + 7) % 7;

/**
 * The times of a rule, ascending, its start being one whatever the rule says of it.
 * @param {Rule} rule
 * @param {number} start
 * @param {{ from: number, to: number, until?: number }} range `to` exclusive, `until` inclusive
 * @param {Budget} budget
 */
export function* occurrences(rule, start, { from, to, until = Infinity }, budget) {
  const last = Math.min(to - 1, until);
  if (start >= from && start <= last) yield start;
  const filled = filledIn(rule, start, budget);
  const first = periodOf(filled, start);
  const skipped = rule.count === undefined ? Math.floor((periodOf(filled, from) - first) / rule.interval) : 0;
  let counted = 1;
  for (let period = first + Math.max(0, skipped) * rule.interval; beginOf(filled, period) <= last; ) {
    budget.spend(filled.times.within.length);
    for (const at of timesIn(filled, period, budget)) {
      if (at <= start) continue;
      if (at > last || ++counted > (rule.count ?? Infinity)) return;
      if (at >= from) yield at;
    }
    period += rule.interval;
  }
}

/** What a rule leaves open is as its start (RFC 5545, 3.3.10). */
function filledIn(/** @type {Rule} */ rule, /** @type {number} */ start, /** @type {Budget} */ budget) {
  const day = Math.floor(start / dayMs);
  const [, month, date] = civil(day);
  const { freq, days } = rule;
  const { BYMONTH = [], BYWEEKNO = [], BYYEARDAY = [], BYMONTHDAY = [], BYSETPOS = [], ...by } = rule.by;
  const times = timesOf(freq, by, start);
  budget.spend(times.within.length);
  const filled = { ...rule, BYMONTH, BYWEEKNO, BYYEARDAY, BYMONTHDAY, BYSETPOS, times };
  if (BYYEARDAY.length + BYMONTHDAY.length + days.length > 0 || freq === 'DAILY' || freq === 'HOURLY') return filled;
  if (freq === 'WEEKLY' || BYWEEKNO.length > 0) return { ...filled, days: [{ weekday: weekdayOf(day), nth: 0 }] };
  const months = freq === 'YEARLY' && BYMONTH.length === 0 ? [month] : BYMONTH;
  return { ...filled, BYMONTH: months, BYMONTHDAY: [date] };
}

/** @typedef {ReturnType<typeof filledIn>} Filled */

/** Times of a day, or of an hour, ascending; those of a day come with whether an hour is one of the rule's. */
function timesOf(
  /** @type {string} */ freq,
  /** @type {Readonly<Record<string, readonly number[]>>} */ { BYHOUR = [], BYMINUTE = [], BYSECOND = [] },
  /** @type {number} */ start,
) {
  const own = new Date(start);
  const or = (/** @type {readonly number[]} */ given, /** @type {number} */ number) =>
    given.length > 0 ? given : [number];
  const hours = freq === 'HOURLY' ? [0] : or(BYHOUR, own.getUTCHours());
  const minutes = or(BYMINUTE, own.getUTCMinutes());
  const seconds = or(BYSECOND, own.getUTCSeconds());
  const within = hours.flatMap((hour) =>
    minutes.flatMap((minute) => seconds.map((second) => ((hour * 60 + minute) * 60 + second) * 1000)),
  );
  return { within, hours: freq === 'HOURLY' && BYHOUR.length > 0 ? BYHOUR : undefined };
}

/** The number of the year, month, week, day or hour that a time lies in. */
function periodOf(/** @type {Filled} */ { freq, weekStart }, /** @type {number} */ at) {
  const day = Math.floor(at / dayMs);
  if (freq === 'HOURLY') return Math.floor(at / hourMs);
  if (freq === 'DAILY') return day;
  if (freq === 'WEEKLY') return Math.floor((day + 3 - weekStart) / 7);
  const [year, month] = civil(day);
  return freq === 'YEARLY' ? year : year * 12 + month - 1;
}

function beginOf(/** @type {Filled} */ { freq, weekStart }, /** @type {number} */ period) {
  if (freq === 'HOURLY') return period * hourMs;
  if (freq === 'DAILY') return period * dayMs;
  if (freq === 'WEEKLY') return (period * 7 - 3 + weekStart) * dayMs;
  return (freq === 'YEARLY' ? dayNumber(period, 1, 1) : dayNumber(0, period + 1, 1)) * dayMs;
}

/** @returns {number[]} */
function timesIn(/** @type {Filled} */ rule, /** @type {number} */ period, /** @type {Budget} */ budget) {
  const { freq, times, BYSETPOS } = rule;
  const begin = beginOf(rule, period);
  let found = [];
  if (freq === 'HOURLY') {
    if (times.hours?.includes(period - Math.floor(period / 24) * 24) === false) return [];
    if (isDay(rule, Math.floor(period / 24))) found = times.within.map((time) => begin + time);
  } else {
    const days = daysIn(rule, period, budget);
    budget.spend(Math.max(0, days.length - 1) * times.within.length);
    found = days.flatMap((day) => times.within.map((time) => day * dayMs + time));
  }
  if (BYSETPOS.length === 0) return found;
  const picked = BYSETPOS.flatMap((place) => found.at(place > 0 ? place - 1 : place) ?? []);
  return [...new Set(picked)].sort((a, b) => a - b);
}

function daysIn(/** @type {Filled} */ rule, /** @type {number} */ period, /** @type {Budget} */ budget) {
  const first = beginOf(rule, period) / dayMs;
  if (rule.freq === 'DAILY') return isDay(rule, first) ? [first] : [];
  if (rule.freq === 'WEEKLY')
    return [0, 1, 2, 3, 4, 5, 6].map((more) => first + more).filter((day) => isDay(rule, day));
  const days = [];
  const [year, begins] = civil(first);
  for (let month = begins; month <= (rule.freq === 'YEARLY' ? 12 : begins); month++) {
    if (rule.BYMONTH.length > 0 && !rule.BYMONTH.includes(month)) continue;
    const end = dayNumber(year, month + 1, 1);
    budget.spend(31);
    for (let day = dayNumber(year, month, 1); day < end; day++) if (isDay(rule, day)) days.push(day);
  }
  return days;
}

function isDay(/** @type {Filled} */ rule, /** @type {number} */ day) {
  const { BYMONTH, BYWEEKNO, BYYEARDAY, BYMONTHDAY, days, freq } = rule;
  const [year, month, date] = civil(day);
  const has = (/** @type {readonly number[]} */ list, /** @type {number} */ number, /** @type {number} */ length) =>
    list.length === 0 || list.includes(number) || list.includes(number - length - 1);
  if (!has(BYMONTH, month, 12)) return false;
  const [monthBegin, monthEnd] = [day - date + 1, dayNumber(year, month + 1, 1)];
  if (!has(BYMONTHDAY, date, monthEnd - monthBegin)) return false;
  if (days.length > 0 && !days.some(({ weekday }) => weekday === weekdayOf(day))) return false;
  const counts = days.some(({ nth }) => nth !== 0) && (freq === 'MONTHLY' || freq === 'YEARLY');
  if (!counts && BYYEARDAY.length + BYWEEKNO.length === 0) return true;
  const [yearBegin, yearEnd] = [dayNumber(year, 1, 1), dayNumber(year + 1, 1, 1)];
  if (!has(BYYEARDAY, day - yearBegin + 1, yearEnd - yearBegin)) return false;
  if (BYWEEKNO.length > 0 && !has(BYWEEKNO, ...weekOf(day, rule.weekStart))) return false;
  if (!counts) return true;
  const inMonth = freq === 'MONTHLY' || BYMONTH.length > 0;
  const [begin, end] = inMonth ? [monthBegin, monthEnd] : [yearBegin, yearEnd];
  const [nth, fromEnd] = [Math.floor((day - begin) / 7) + 1, -Math.floor((end - 1 - day) / 7) - 1];
  return days.some(
    (one) => one.weekday === weekdayOf(day) && (one.nth === 0 || one.nth === nth || one.nth === fromEnd),
  );
}

/** The number of a day's week, and how many weeks its year has: a week is of the year that most of its days are in. */
function weekOf(/** @type {number} */ day, /** @type {number} */ weekStart) {
  const middle = Math.floor((day + 3 - weekStart) / 7) * 7 + weekStart;
  const [year] = civil(middle);
  const [begin, end] = [dayNumber(year, 1, 1), dayNumber(year + 1, 1, 1)];
  const number = Math.floor((middle - begin) / 7) + 1;
  return /** @type {const} */ ([number, number + Math.floor((end - 1 - middle) / 7)]);
}
