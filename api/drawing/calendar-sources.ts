/** The calendars in a picture, as sources of its data. */
import { calendarNames } from '../calendar/feed-list.ts';
import type { CalendarRead } from '../calendar/read-calendars.ts';
import type { DataSource } from '../devices/data-sources.ts';

/** Returns when each calendar of a paper answered, by the names that people call them. */
export function calendarSources(
  { calendarAuth, answeredAt = {}, problems = {} }: CalendarRead,
  meta: Readonly<Record<string, unknown>>,
): readonly DataSource[] {
  const names = calendarNames(meta);
  return Object.keys(calendarAuth.calendars).map((key) => {
    const problem = problems[key];
    return {
      name: names.get(key) ?? key,
      answeredAt: answeredAt[key] ?? null,
      ...(problem !== undefined && { problem }),
    };
  });
}
