/** Times in the viewer's zone and words: today by the clock, other days by the name that people give them. */
import { signal } from '@preact/signals';
import { locale, t } from './words.ts';

/** The current time, updated every ten seconds, so that texts such as "2 minutes ago" are drawn again. */
export const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, 10_000);

const steps: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** Returns "5 minutes ago" or "in 2 hours". */
export function relativeTime(at: string | number): string {
  const seconds = (new Date(at).getTime() - now.value) / 1000;
  const words = new Intl.RelativeTimeFormat(locale.value, { numeric: 'auto' });
  // What rounds to 60 minutes is an hour.
  const isReached = ([, size]: (typeof steps)[number], index: number): boolean =>
    Math.abs(seconds) >= size - (steps[index + 1]?.[1] ?? 0) / 2;
  const [unit, length] = steps.find(isReached) ?? ['second', 1];
  return words.format(unit === 'second' ? 0 : Math.round(seconds / length), unit);
}

/** The most days that are given as days; longer times are given in months. */
const maxDaysTold = 60;

/** Returns the time until something ends, as a plain count: "in 30 days", where "next month" could be tomorrow. */
export function endTime(at: string | number): string {
  const days = Math.round((new Date(at).getTime() - now.value) / 86_400_000);
  if (days < 2) return relativeTime(at);
  const words = new Intl.RelativeTimeFormat(locale.value, { numeric: 'always' });
  return days <= maxDaysTold ? words.format(days, 'day') : words.format(Math.round(days / 30.44), 'month');
}

const write = (time: Date, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(locale.value, options).format(time);

/** The time of day as a person writes it, such as 7:14. */
const timeOfDay = (time: Date): string => write(time, { hour: 'numeric', minute: '2-digit' });

/** Whole days from today to the day of a time, in the viewer's zone. */
function daysFromToday(time: Date): number {
  const today = new Date(now.value);
  const dayOf = (one: Date): number => Date.UTC(one.getFullYear(), one.getMonth(), one.getDate());
  return (dayOf(time) - dayOf(today)) / 86_400_000;
}

/** Returns the time today, "yesterday, 7:14", "Monday, 7:14", or else with its date, such as "14 Mar, 9:14". */
export function clockTime(at: string | number): string {
  const time = new Date(at);
  const days = daysFromToday(time);
  return days === 0 ? timeOfDay(time) : t('time.onDay', { day: dayWords(time, days), time: timeOfDay(time) });
}

function dayWords(time: Date, days: number): string {
  if (Math.abs(days) === 1) return new Intl.RelativeTimeFormat(locale.value, { numeric: 'auto' }).format(days, 'day');
  if (Math.abs(days) < 7) return write(time, { weekday: 'long' });
  const isThisYear = time.getFullYear() === new Date(now.value).getFullYear();
  return write(time, { day: 'numeric', month: 'short', ...(!isThisYear && { year: 'numeric' }) });
}

/** A foreseen time, in parts, so that each kind of day can have its own sentence. */
export interface AboutTime {
  readonly which: 'today' | 'tomorrow' | 'later';
  /** The time of day, as exact as it is honest. */
  readonly time: string;
  /** The day, such as "Monday" or "Monday, December 7". */
  readonly day: string;
}

const minuteMs = 60_000;

/**
 * Words the approximate time of an event that nobody can foresee to the minute, such as the wake of a frame: the longer
 * the sleep, the rougher. It is rounded up, so that a person seldom looks in vain.
 * @param since when it was foreseen, the last contact; now unless given
 */
export function aboutTime(at: string | number, since: string | number | null = null): AboutTime {
  const exact = new Date(at).getTime();
  const ahead = exact - (since === null ? now.value : new Date(since).getTime());
  const step = (ahead <= 20 * minuteMs ? 1 : ahead <= 180 * minuteMs ? 5 : 15) * minuteMs;
  const time = new Date(Math.ceil(exact / step) * step);
  const days = daysFromToday(time);
  const dated = days < 7 ? {} : ({ day: 'numeric', month: 'long' } as const);
  return {
    which: days <= 0 ? 'today' : days === 1 ? 'tomorrow' : 'later',
    time: timeOfDay(time),
    day: write(time, { weekday: 'long', ...dated }),
  };
}

/** Returns the whole date and time, for titles of elements. */
export const fullTime = (at: string | number): string =>
  write(new Date(at), { dateStyle: 'full', timeStyle: 'medium' });

/** A span in whole hours or minutes where it is one, else in seconds. */
export function spanWords(seconds: number): string {
  if (seconds > 0 && seconds % 3600 === 0) return t('settings.hours', { count: seconds / 3600 });
  return seconds > 0 && seconds % 60 === 0
    ? t('settings.minutes', { count: seconds / 60 })
    : t('settings.seconds', { count: seconds });
}
