/** Sorts events by the days on which they take place. */
import { addDays, localDate } from '../../runtime/local-time.ts';
import type { CalendarEvent } from '../calendar/read-calendars.ts';

/** The days of the page: a number of them from `today` (`2026-03-29`), by the clocks of a time zone. */
export interface DayRange {
  readonly today: string;
  readonly dayRange: number;
  readonly timeZone: string;
}

/** Returns the events of each day of the range; an event of several days stands on each of them. */
export function eventsByDay(
  events: readonly CalendarEvent[],
  { today, dayRange, timeZone }: DayRange,
): ReadonlyMap<string, readonly CalendarEvent[]> {
  const end = addDays(today, dayRange - 1);
  const days = new Map<string, CalendarEvent[]>();
  for (const event of events) {
    const [from, to] = [firstDate(event, timeZone), lastDate(event, timeZone)];
    for (let date = from < today ? today : from; date <= to && date <= end; date = addDays(date, 1)) {
      days.set(date, [...(days.get(date) ?? []), event]);
    }
  }
  const inOrder = [...days].sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(
    inOrder.map(([date, found]) => [date, [...found.filter(isAllDay), ...found.filter((e) => !isAllDay(e))]]),
  );
}

/** An all-day event has dates without times. */
export const isAllDay = ({ start }: CalendarEvent): boolean => 'date' in start;

export function firstDate({ start }: CalendarEvent, timeZone: string): string {
  return 'date' in start ? start.date : localDate(Date.parse(start.dateTime), timeZone);
}

/** Returns the last day of an event. An event that ends at midnight does not reach into the day that begins then. */
export function lastDate({ start, end }: CalendarEvent, timeZone: string): string {
  if ('date' in end) return addDays(end.date, -1);
  const begins = 'date' in start ? 0 : Date.parse(start.dateTime);
  return localDate(Math.max(begins, Date.parse(end.dateTime) - 1), timeZone);
}
