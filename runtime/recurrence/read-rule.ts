/** Reads a rule of RFC 5545, as it is written after `RRULE:`. */

const weekdays = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
/** The least and the greatest number that each part may list. */
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

/** Every part that a rule may have; any other part means nothing. */
export const ruleParts = [
  'FREQ',
  'INTERVAL',
  'COUNT',
  'UNTIL',
  'WKST',
  'BYDAY',
  'RSCALE',
  'SKIP',
  ...Object.keys(lists),
];

/** A rule that was read. `weekStart` and `weekday` count from Monday, 0; `nth` is 0 where every such day is meant. */
export interface Rule {
  freq: string;
  interval: number;
  count: number | undefined;
  until: string | undefined;
  weekStart: number;
  days: readonly { weekday: number; nth: number }[];
  by: Readonly<Record<string, readonly number[]>>;
}

/** Reads the text that follows `RRULE:`. Throws at a rule that cannot be followed. */
export function readRule(text: string): Rule {
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
  if (!['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY', 'HOURLY'].includes(freq))
    throw new Error('FREQ is not YEARLY, MONTHLY, WEEKLY, DAILY or HOURLY');
  // RFC 7529: with these values a rule means the same as without them.
  if ((given.get('RSCALE') ?? 'GREGORIAN') !== 'GREGORIAN') throw new Error('RSCALE is another calendar');
  if ((given.get('SKIP') ?? 'OMIT') !== 'OMIT') throw new Error('SKIP moves days that do not exist');
  const weekStart = weekdays.indexOf(given.get('WKST') ?? 'MO');
  if (weekStart < 0) throw new Error('WKST is not a weekday');
  const by = Object.fromEntries(
    Object.entries(lists).map(([name, [least = 0, most = 0]]) => [name, numbersOf(given, name, least, most)]),
  );
  const [count] = numbersOf(given, 'COUNT', 1, 1_000_000);
  const [interval = 1] = numbersOf(given, 'INTERVAL', 1, 100_000);
  return { freq, interval, count, until: given.get('UNTIL'), weekStart, days: weekdaysOf(given.get('BYDAY')), by };
}

/** @returns ascending */
function numbersOf(given: ReadonlyMap<string, string>, name: string, least: number, most: number): number[] {
  const items = given.get(name)?.split(',') ?? [];
  const isOne = (item: string) =>
    /^[+-]?\d{1,7}$/.test(item) && Number(item) >= least && Number(item) <= most && (least >= 0 || Number(item) !== 0);
  if (!items.every(isOne)) throw new Error(`${name} is not a list of numbers from ${least} to ${most}`);
  return [...new Set(items.map(Number))].sort((a, b) => a - b);
}

function weekdaysOf(text: string | undefined) {
  return [...new Set(text?.split(','))].map((item) => {
    const [, nth = '0', name = ''] = /^([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)$/.exec(item) ?? [];
    if (name === '') throw new Error('BYDAY is not a list of weekdays such as MO or 1MO');
    return { weekday: weekdays.indexOf(name), nth: Number(nth) };
  });
}
