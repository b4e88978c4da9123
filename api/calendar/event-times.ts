/** Reads the written times of one event: its start by the clocks of its zone, and how long it lasts. */

import { dayMs } from '../../runtime/recurrence/recurrence.ts';
import { momentOfWallClock, type Offset } from '../../runtime/wall-clock.ts';
import { type Component, type Property, parameterOf, zoneNamed } from './read-ics.ts';
import { atPlace, dateAtPlace, readDuration, readTime } from './read-time.ts';

/** Finds the offsets of a zone by its name in the feed; without a name, those of the paper. */
export type ZoneOf = (name: string | undefined) => Offset;
/** A time. The offset of a date is that of its calendar or paper, by which moments next to it become dates. */
export interface Time {
  naive: number;
  isDate: boolean;
  isUtc: boolean;
  offset: Offset;
}
/** Whole days go by what clocks show. */
export interface Length {
  days: number;
  ms: number;
}

/** Returns the start of an event; undefined where it has none that can be read. */
export function startOf(event: Component, zoneOf: ZoneOf): Time | undefined {
  const [property] = event.get('DTSTART') ?? [];
  return property && timeOf(property, property.value, zoneOf);
}

/** Reads one time of a property, in the zone that it names; undefined for a text that is not a time. */
export function timeOf(property: Property, text: string, zoneOf: ZoneOf): Time | undefined {
  const time = readTime(text);
  if (time === undefined) return undefined;
  const isCalledDate = parameterOf(property, 'VALUE')?.toUpperCase() === 'DATE';
  const offset = time.isUtc && !isCalledDate ? inUtc : zoneOf(zoneNamed(property));
  // Some writers call a time a date.
  if (isCalledDate && !time.isDate) return { naive: dateAtPlace(time, offset), isDate: true, isUtc: false, offset };
  return { ...time, offset };
}

const inUtc = () => 0;

/** Returns how long an event lasts: at least a day where it starts with a date. */
export function lengthOf(event: Component, start: Time, zoneOf: ZoneOf): Length {
  const [end] = event.get('DTEND') ?? event.get('DURATION') ?? [];
  const length = end === undefined ? { days: 0, ms: 0 } : lengthUntil(end.value, end, start, zoneOf);
  return start.isDate ? { days: Math.max(1, length.days + Math.ceil(length.ms / dayMs)), ms: 0 } : length;
}

/** @param text a duration or an end */
export function lengthUntil(text: string, property: Property, start: Time, zoneOf: ZoneOf): Length {
  const duration = readDuration(text);
  if (duration !== undefined) return duration;
  const end = timeOf(property, text, zoneOf);
  if (end === undefined) return { days: 0, ms: 0 };
  // An end that is a date alone means that day's beginning at the place of the event.
  const { offset } = end.isDate ? start : end;
  const ms = start.isDate
    ? atPlace(end, start.offset) - start.naive
    : momentOfWallClock(end.naive, offset) - momentOfWallClock(start.naive, start.offset);
  return { days: 0, ms: Math.max(0, ms) };
}

/** Returns the begin and the end of an event in epoch milliseconds; whole days are those of UTC. */
export function spanOf(
  { naive, isDate, offset }: Time,
  { days, ms }: Length,
): { at: number; end: number; isDate: boolean } {
  if (isDate) return { at: naive, end: naive + days * dayMs, isDate };
  const at = momentOfWallClock(naive, offset);
  return { at, end: (days === 0 ? at : momentOfWallClock(naive + days * dayMs, offset)) + ms, isDate };
}
