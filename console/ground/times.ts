/** Times in the viewer's zone and words. */
import { signal } from '@preact/signals';
import { language, t } from './words.ts';

/** The present, moved on every ten seconds: what shows "2 minutes ago" is drawn again by it. */
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
  const words = new Intl.RelativeTimeFormat(language.value, { numeric: 'auto' });
  const [unit, length] = steps.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1];
  return words.format(unit === 'second' ? 0 : Math.round(seconds / length), unit);
}

/** Returns the time today, else with its day, such as "14 Mar, 09:14". */
export function clockTime(at: string | number): string {
  const time = new Date(at);
  const isToday = time.toDateString() === new Date(now.value).toDateString();
  const isThisYear = time.getFullYear() === new Date(now.value).getFullYear();
  return new Intl.DateTimeFormat(language.value, {
    hour: '2-digit',
    minute: '2-digit',
    ...(!isToday && { day: 'numeric', month: 'short' }),
    ...(!isThisYear && { year: 'numeric' }),
  }).format(time);
}

/** Returns the whole date and time, for titles of elements. */
export const fullTime = (at: string | number): string =>
  new Intl.DateTimeFormat(language.value, { dateStyle: 'full', timeStyle: 'medium' }).format(new Date(at));

/** A span in whole hours or minutes where it is one, else in seconds. */
export function spanWords(seconds: number): string {
  if (seconds > 0 && seconds % 3600 === 0) return t('settings.hours', { count: seconds / 3600 });
  return seconds > 0 && seconds % 60 === 0
    ? t('settings.minutes', { count: seconds / 60 })
    : t('settings.seconds', { count: seconds });
}
