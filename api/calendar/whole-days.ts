/**
 * Turns events that are called all-day, but are given as times from midnight to midnight, into events of dates: Outlook
 * and Funambol write them so. Without their mark such an event stays one of times.
 */

import { dayMs } from '../../runtime/recurrence/recurrence.ts';
import { momentOfWallClock, type Offset } from '../../runtime/wall-clock.ts';
import { lengthOf, spanOf, startOf, type Time, timeOf, type ZoneOf } from './event-times.ts';
import { allDayMarks, type Component, type Property } from './read-ics.ts';
import { dateAtPlace, midnightOf, readTime } from './read-time.ts';

/** An end within the last minute of a day means the end of that day. */
const minuteMs = 60_000;

/**
 * Returns the events, those that last whole days as dates. An instance of such a series is named by its date, too.
 */
export function withWholeDays(events: readonly Component[], zoneOf: ZoneOf): Component[] {
  const series = new Map<string, Offset>();
  const told = events.map((event) => {
    const whole = wholeDaysOf(event, zoneOf);
    if (whole === undefined) return event;
    if (!event.has('RECURRENCE-ID')) series.set(event.get('UID')?.[0]?.value ?? '', whole.offset);
    return asDates(event, whole, zoneOf);
  });
  return told.map((event) => {
    const offset = event.has('RECURRENCE-ID') ? series.get(event.get('UID')?.[0]?.value ?? '') : undefined;
    if (offset === undefined) return event;
    const ids = event.get('RECURRENCE-ID') ?? [];
    return new Map(event).set(
      'RECURRENCE-ID',
      ids.map((id) => ({ params: `${id.params};VALUE=DATE`, value: datesOf(id, offset, zoneOf) })),
    );
  });
}

/**
 * Returns the days of an event that is marked and goes from midnight to midnight, and the clocks that show so: those of
 * the event, or for times of UTC these, the calendar's, or the paper's.
 */
function wholeDaysOf(event: Component, zoneOf: ZoneOf): { offset: Offset; first: number; end: number } | undefined {
  if (!allDayMarks.some((name) => /^(?:TRUE|T|1|YES)$/i.test(event.get(name)?.[0]?.value ?? ''))) return undefined;
  const start = startOf(event, zoneOf);
  if (start === undefined || start.isDate) return undefined;
  const { at, end } = spanOf(start, lengthOf(event, start, zoneOf));
  const zones = start.isUtc
    ? [start.offset, zoneOf(event.get('X-WR-TIMEZONE')?.[0]?.value), zoneOf(undefined)]
    : [start.offset];
  for (const offset of zones) {
    const [first, last] = [at + offset(at), end + offset(end)];
    const days = Math.ceil(last / dayMs) * dayMs;
    if (first === midnightOf(first) && days - last <= minuteMs)
      return { offset, first, end: Math.max(days, first + dayMs) };
  }
  return undefined;
}

function asDates(
  event: Component,
  { offset, first, end }: { offset: Offset; first: number; end: number },
  zoneOf: ZoneOf,
): Component {
  const dated = new Map(event);
  const date = (naive: number) => [{ params: ';VALUE=DATE', value: written(naive) }];
  dated.delete('DURATION');
  dated.set('DTSTART', date(first)).set('DTEND', date(end));
  for (const name of ['EXDATE', 'RDATE']) {
    const given = event.get(name);
    const dates = given?.map((one) => ({ params: ';VALUE=DATE', value: datesOf(one, offset, zoneOf) }));
    if (dates !== undefined) dated.set(name, dates);
  }
  const rules = event.get('RRULE');
  if (rules !== undefined)
    dated.set(
      'RRULE',
      rules.map((rule) => ({ ...rule, value: untilDate(rule.value, offset) })),
    );
  return dated;
}

/** Returns the times that a property lists as dates; the end of a period is left out. */
function datesOf(property: Property, offset: Offset, zoneOf: ZoneOf) {
  const items = property.value.split(',').map((item) => {
    const time = timeOf(property, item.split('/')[0] ?? '', zoneOf);
    if (time === undefined) return item;
    return written(time.isDate ? time.naive : localTime(time, offset));
  });
  return items.join(',');
}

function localTime(time: Time, offset: Offset) {
  const at = momentOfWallClock(time.naive, time.offset);
  return at + offset(at);
}

/** Writes the moment up to which a rule goes as a date. */
function untilDate(rule: string, offset: Offset) {
  return rule.replace(/(?<=UNTIL=)\d{8}T\d{6}Z/i, (text) => {
    const until = readTime(text);
    return until === undefined ? text : written(dateAtPlace(until, offset));
  });
}

const written = (naive: number) => new Date(naive).toISOString().slice(0, 10).replaceAll('-', '');
