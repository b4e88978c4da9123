/**
 * Reads the times of a series that other events describe (RFC 5545, 3.8.4.4): one time, or with `RANGE=THISANDFUTURE`
 * every time from one on.
 */

import { momentOfWallClock } from '../../runtime/wall-clock.ts';
import { type Length, lengthOf, startOf, type Time, timeOf, type ZoneOf } from './event-times.ts';
import { type Component, type Property, parameterOf, zoneNamed } from './read-ics.ts';
import { dateAtPlace, midnightOf } from './read-time.ts';

/** The times that take no place: moments, dates of any event, and dates of events that last whole days. */
interface Excluded {
  moments: Set<number>;
  days: Set<number>;
  wholeDays: Set<number>;
}
/** A change of a series from a time on; without a start of its own it moves nothing. */
interface Change {
  event: Component;
  original: Time;
  start: Time | undefined;
  length: Length | undefined;
}
/** The changes that other events make to the times of a series. */
export interface Overrides {
  single: Excluded;
  changes: Change[];
  hasSeries: boolean;
}

/**
 * A part of a series, by the times that the series itself names: from one time on up to the next stretch. One event
 * describes it. `start` is undefined where nothing was changed.
 */
export interface Stretch {
  event: Component;
  from: number;
  to: number;
  shiftMs: number;
  start: Time | undefined;
  length: Length | undefined;
}

/** Returns whether an event changes all times of its series from its own on. */
export function changesFuture(event: Component) {
  const [id] = event.get('RECURRENCE-ID') ?? [];
  return id !== undefined && parameterOf(id, 'RANGE')?.toUpperCase() === 'THISANDFUTURE';
}

/** Collects the times that other events describe, by UID. */
export function overridesOf(events: readonly Component[], zoneOf: ZoneOf) {
  const overrides = new Map<string, Overrides>();
  const told = events.filter((event) => event.has('UID') && event.has('RECURRENCE-ID'));
  for (const event of told) {
    const uid = event.get('UID')?.[0]?.value ?? '';
    const own = overrides.get(uid) ?? { single: nothingExcluded(), changes: [], hasSeries: false };
    overrides.set(uid, own);
    const change = changesFuture(event) ? changeOf(event, zoneOf) : undefined;
    if (change !== undefined) own.changes.push(change);
    else exclude(own.single, event.get('RECURRENCE-ID') ?? [], zoneOf);
  }
  for (const event of events) {
    const own = event.has('RECURRENCE-ID') ? undefined : overrides.get(event.get('UID')?.[0]?.value ?? '');
    if (own !== undefined && startOf(event, zoneOf) !== undefined) own.hasSeries = true;
  }
  return overrides;
}

function changeOf(event: Component, zoneOf: ZoneOf): Change | undefined {
  const [id] = event.get('RECURRENCE-ID') ?? [];
  const original = id && timeOf(id, id.value, zoneOf);
  if (original === undefined) return undefined;
  const start = startOf(event, zoneOf);
  return { event, original, start, length: start && lengthOf(event, start, zoneOf) };
}

/**
 * Returns the stretches of a series, ascending. Each change counts from the times of the series, not from those of the
 * change before.
 * @param series the start of the series
 */
export function stretchesOf(event: Component, series: Time, changes: readonly Change[]): Stretch[] {
  const unchanged = { shiftMs: 0, start: undefined, length: undefined };
  const stretches: Stretch[] = [{ ...unchanged, event, from: -Infinity, to: Infinity }];
  const changed = changes.map((change) => ({ change, from: inSeries(change.original, series) }));
  for (const { change, from } of changed.sort((a, b) => a.from - b.from)) {
    const before = stretches.at(-1);
    if (before !== undefined) before.to = from;
    const moved = change.start && movedBy(change.start, series, from);
    stretches.push({ ...unchanged, ...moved, length: change.length, event: change.event, from, to: Infinity });
  }
  return stretches;
}

/**
 * Returns a time as the clocks of a series show it; a date alone means the time at which the series begins on that day.
 */
export function inSeries(time: Time, series: Time) {
  if (series.isDate) return dateAtPlace(time, series.offset);
  if (time.isDate) return midnightOf(time.naive) + series.naive - midnightOf(series.naive);
  const at = momentOfWallClock(time.naive, time.offset);
  return at + series.offset(at);
}

/**
 * Returns how far a change moves a series: "All subsequent instances are also rescheduled by the same time difference"
 * (3.2.13), by the numbers that clocks show.
 */
function movedBy(start: Time, series: Time, from: number) {
  // A time in UTC carries no zone, so the times continue by the clocks of the series.
  const keepsZone = start.isUtc && !series.isDate;
  const naive = keepsZone ? inSeries(start, series) : start.naive;
  return { start: keepsZone ? series : start, shiftMs: naive - from };
}

const nothingExcluded = (): Excluded => ({ moments: new Set(), days: new Set(), wholeDays: new Set() });

/** Returns the times of an event's EXDATE. */
export function excludedBy(event: Component, zoneOf: ZoneOf) {
  const excluded = nothingExcluded();
  exclude(excluded, event.get('EXDATE') ?? [], zoneOf);
  return excluded;
}

function exclude(excluded: Excluded, properties: readonly Property[], zoneOf: ZoneOf) {
  for (const property of properties) {
    for (const item of property.value.split(',')) {
      const time = timeOf(property, item, zoneOf);
      if (time === undefined) continue;
      if (time.isDate) excluded.days.add(midnightOf(time.naive));
      else excluded.moments.add(momentOfWallClock(time.naive, time.offset));
      excluded.wholeDays.add(dateAtPlace(time, zoneOf(zoneNamed(property))));
    }
  }
}

/** Returns whether a time takes no place. `at` is its moment, or its date. */
export function isExcluded(at: number, { naive, isDate }: Time, excluded: Excluded | undefined) {
  if (excluded === undefined) return false;
  const day = midnightOf(naive);
  return isDate ? excluded.wholeDays.has(day) : excluded.moments.has(at) || excluded.days.has(day);
}
