/** When a deadline that comes again is due: a time of day on some weekdays, by the clocks of a zone. Pure. */
import { z } from 'zod';
import { localDate, zoneOffset } from '../../runtime/local-time.ts';
import { momentOfWallClock } from '../../runtime/wall-clock.ts';

const dayMs = 86_400_000;
const minuteMs = 60_000;

/** On which weekdays (Monday is 1), and at what time of day. */
export const deadlineRule = z.object({
  weekdays: z
    .array(z.int().min(1).max(7))
    .min(1)
    .max(7)
    .describe('1 is Monday, 7 is Sunday')
    .transform((days) => [...new Set(days)].sort((one, other) => one - other)),
  time: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time such as 07:00'),
});
export type DeadlineRule = z.output<typeof deadlineRule>;

/**
 * Returns the moment at which clocks in a zone show a time on a day: the first one where they show it twice, and the first
 * valid one after it where they skip it (WK-20).
 * @param day whole days since 1970-01-01
 */
export function momentOnDay(day: number, time: string, timeZone: string): number {
  const naive = day * dayMs + (Number(time.slice(0, 2)) * 60 + Number(time.slice(3))) * minuteMs;
  const offset = zoneOffset(timeZone);
  const at = momentOfWallClock(naive, offset);
  if (at + offset(at) === naive) return at;
  // The time is skipped: the clocks were moved within the day before this moment.
  let [before, after] = [at - dayMs, at];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (middle + offset(middle) < naive) before = middle;
    else after = middle;
  }
  return after;
}

/** Returns the first time after a moment at which a deadline with this rule is due. */
export function nextBy({ weekdays, time }: DeadlineRule, timeZone: string, after: number): number {
  const today = Date.parse(localDate(after, timeZone)) / dayMs;
  // 1970-01-01 was a Thursday, the fourth day.
  const weekdayOf = (day: number): number => ((day + 3) % 7) + 1;
  for (let day = today; ; day++) {
    const at = weekdays.includes(weekdayOf(day)) ? momentOnDay(day, time, timeZone) : after;
    if (at > after) return at;
  }
}

/** Returns when the day of a moment begins in a zone. */
export const dayBegin = (at: number, timeZone: string): number =>
  momentOnDay(Date.parse(localDate(at, timeZone)) / dayMs, '00:00', timeZone);
