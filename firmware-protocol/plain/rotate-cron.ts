/**
 * The times at which esp32-photoframe wakes. It takes no sleep, but rules of minute, hour and weekday, of which the
 * earliest counts (WK-6). Its own zone is not known here, so that the rules are in UTC and say so.
 */

/** The header that carries them on an answer with a picture. */
export const configPayloadHeader = 'x-config-payload';
/** The most bytes of that header, the most rules in it, and the most characters of a field: one that is longer voids them all. */
export const maxConfigBytes = 2047;
export const maxCronRules = 7;
export const maxCronField = 31;

const dayMs = 86_400_000;
/** The most rules of usual wakes: the others are left for what is planned. */
const maxRegularRules = 4;

/** The wakes that are wanted, each in a whole minute. Times are epoch milliseconds. */
export interface WantedWakes {
  /** Its usual wakes of a day, which come each day, or of a week. */
  readonly usual: readonly number[];
  readonly each: 'day' | 'week';
  /** Further times at which it has to be awake, the earliest first. */
  readonly times: readonly number[];
  readonly now: number;
}

/** The rules for these wakes: the usual ones first, then those of the week ahead, the earliest of them. */
export function rotateCron({ usual, each, times, now }: WantedWakes): readonly string[] {
  const weekly = each === 'week' ? regularRules(usual, (time) => String(time.getUTCDay())) : [];
  // Wakes that come otherwise on each day of a week are taken for those of its first day.
  const isWeekly = weekly.length > 0 && weekly.length <= maxRegularRules;
  const firstDay = usual.filter((at) => at < (usual[0] ?? 0) + dayMs);
  const regular = isWeekly ? weekly : regularRules(firstDay, () => '*').slice(0, maxRegularRules);
  const coming = times
    .filter((at) => at > now && at < now + 7 * dayMs)
    .map((at) => new Date(at))
    .map((at) => `${at.getUTCMinutes()} ${at.getUTCHours()} ${at.getUTCDay()}`);
  return [...new Set([...regular, ...coming])].slice(0, maxCronRules);
}

/** The value of the header. */
export function configPayload(rules: readonly string[]): string {
  return JSON.stringify({ config: { auto_rotate: true, timezone: 'UTC0', rotate_cron: rules } });
}

/** Rules that hold at these moments: hours with the same minutes are one rule, and so are days with the same hours. */
function regularRules(moments: readonly number[], dayOf: (time: Date) => string): readonly string[] {
  const times = moments.map((at) => new Date(at));
  const hours = [...Map.groupBy(times, (time) => `${dayOf(time)} ${time.getUTCHours()}`).values()].map((inHour) => ({
    day: dayOf(inHour[0] as Date),
    hour: (inHour[0] as Date).getUTCHours(),
    minutes: fieldOf(new Set(inHour.map((time) => time.getUTCMinutes())), 60),
  }));
  const days = [...Map.groupBy(hours, ({ day, minutes }) => `${minutes} ${day}`).values()].map((alike) => ({
    day: alike[0]?.day ?? '*',
    rule: `${alike[0]?.minutes} ${fieldOf(new Set(alike.map(({ hour }) => hour)), 24)}`,
  }));
  return [...Map.groupBy(days, ({ rule }) => rule)].map(([rule, alike]) => {
    const named = alike.map(({ day }) => day);
    return `${rule} ${named[0] === '*' ? '*' : fieldOf(new Set(named.map(Number)), 7)}`;
  });
}

/** Values of a field as a list of steps, ranges and numbers; those beyond its length are left out. */
function fieldOf(values: ReadonlySet<number>, size: number): string {
  const left = [...values].sort((one, other) => one - other);
  const terms: string[] = [];
  while (left[0] !== undefined) {
    const run = maxRun(left);
    for (const value of run) left.splice(left.indexOf(value), 1);
    const term = termOf(run, size);
    if ([...terms, term].join(',').length <= maxCronField) terms.push(term);
  }
  return terms.join(',');
}

/** The longest evenly spaced run that begins with the first of some sorted values. */
function maxRun(values: readonly number[]): readonly number[] {
  const [first = 0, ...others] = values;
  const known = new Set(values);
  return others.reduce<readonly number[]>(
    (longest, other) => {
      const run: number[] = [];
      for (let at = first; known.has(at); at += other - first) run.push(at);
      return run.length > longest.length ? run : longest;
    },
    [first],
  );
}

function termOf(run: readonly number[], size: number): string {
  const [first = 0, last = 0, step = 1] = [run[0], run.at(-1), (run[1] ?? 0) - (run[0] ?? 0)];
  if (run.length === 1) return String(first);
  if (run.length === 2) return run.join(',');
  const isWhole = first === 0 && last + step >= size;
  const range = isWhole ? '*' : `${first}-${last}`;
  return step === 1 ? range : `${range}/${step}`;
}
