/**
 * Finds the instances of an event: one alone, those of its rules and dates, or one time of a series that is described by
 * itself.
 */

import { readRule } from '../../runtime/recurrence/read-rule.ts';
import { type Budget, dayMs, occurrences } from '../../runtime/recurrence/recurrence.ts';
import { type Length, lengthOf, lengthUntil, spanOf, startOf, type Time, timeOf, type ZoneOf } from './event-times.ts';
import {
  changesFuture,
  excludedBy,
  inSeries,
  isExcluded,
  type Overrides,
  type Stretch,
  stretchesOf,
} from './overrides.ts';
import type { Component, Property } from './read-ics.ts';
import { lastTime, midnightOf } from './read-time.ts';

/** An instance: the event that describes it, its begin and its end. */
export interface Instance {
  event: Component;
  at: number;
  end: number;
  isDate: boolean;
}
/** The things that the instances of an event are read with. */
export interface Reader {
  zoneOf: ZoneOf;
  overrides: ReadonlyMap<string, Overrides>;
  fromMs: number;
  toMs: number;
  budget: Budget;
}

/** The time after which a repeated event is over, counted from its begin. */
const maxMs = 400 * dayMs;
/** The slack around a range: clocks are nowhere further from UTC, and dates are not moments. */
const slackMs = 2 * dayMs;

/** Returns the instances around a range, or none of an event that cannot be understood. */
export function instancesOf(event: Component, reader: Reader): Instance[] {
  const { zoneOf, overrides } = reader;
  const own = overrides.get(event.get('UID')?.[0]?.value ?? '');
  const isTold = event.has('RECURRENCE-ID');
  // An event that changes a series from a time on is a part of that series.
  if (isTold && changesFuture(event) && own?.hasSeries) return [];
  const start = startOf(event, zoneOf);
  if (start === undefined) return [];
  const length = lengthOf(event, start, zoneOf);
  const isSeries = event.has('RRULE') || event.has('RDATE') || own !== undefined;
  if (isTold || !isSeries) return [{ event, ...spanOf(start, length) }];
  try {
    return seriesOf(event, { start, length, own }, reader);
  } catch {
    return [];
  }
}

function seriesOf(
  event: Component,
  { start, length, own }: { start: Time; length: Length; own: Overrides | undefined },
  { zoneOf, fromMs, toMs, budget }: Reader,
) {
  const exceptions = [excludedBy(event, zoneOf), own?.single];
  const changes = own?.changes ?? [];
  budget.spend(changes.length);
  const stretches = stretchesOf(event, start, changes);
  const found = new Map<number, Instance>();
  /** Adds a time that the series names; `naive` is the same time as the clocks of the series show it. */
  const addIn = (stretch: Stretch, time: Time, naive: number, lasting: Length = length) => {
    const span = spanOf(time, lasting);
    if (exceptions.some((excluded) => isExcluded(span.at, time, excluded))) return;
    found.set(span.at, { event: stretch.event, ...(changedSpan(stretch, naive, lasting) ?? span) });
  };
  const add = (time: Time, lasting: Length) => {
    budget.spend(changes.length);
    const naive = inSeries(time, start);
    const stretch = stretches.findLast(({ from }) => from <= naive);
    if (stretch !== undefined) addIn(stretch, time, naive, lasting);
  };
  add(start, length);
  for (const stretch of stretches.slice(1)) addIn(stretch, { ...start, naive: stretch.from }, stretch.from);
  for (const { value } of event.get('RRULE') ?? []) {
    // An event at every second or minute of the year is not an appointment.
    if (/FREQ=(SECONDLY|MINUTELY)/i.test(value)) continue;
    const rule = readRule(value);
    const until = lastTime(rule, start);
    for (const stretch of stretches) {
      const { days, ms } = stretch.length ?? length;
      const lastedMs = Math.min(maxMs, days * dayMs + ms);
      const from = Math.max(stretch.from, fromMs - stretch.shiftMs - lastedMs - slackMs);
      const to = Math.min(stretch.to, toMs - stretch.shiftMs + slackMs);
      if (from >= to) continue;
      const times = occurrences(rule, start.naive, { from, to, until }, budget);
      for (const naive of times) addIn(stretch, { ...start, naive }, naive);
    }
  }
  for (const given of event.get('RDATE') ?? []) addDates(given, start, { length, zoneOf, add });
  return [...found.values()];
}

/** Returns the span to which a time of a series was changed; undefined where it was not moved. */
function changedSpan({ start, shiftMs, length }: Stretch, naive: number, before: Length) {
  if (start === undefined) return undefined;
  const moved = naive + shiftMs;
  return spanOf({ ...start, naive: start.isDate ? midnightOf(moved) : moved }, length ?? before);
}

/** Adds the dates that an event lists (RFC 5545, 3.8.5.2): times, dates, or periods with their own durations. */
function addDates(
  given: Property,
  start: Time,
  { length, zoneOf, add }: { length: Length; zoneOf: ZoneOf; add: (time: Time, lasting: Length) => void },
) {
  for (const item of given.value.split(',')) {
    const [begin = '', end] = item.split('/');
    const time = timeOf(given, begin, zoneOf);
    if (time === undefined) continue;
    if (start.isDate || time.isDate) add({ ...start, naive: inSeries(time, start) }, length);
    else add(time, end === undefined ? length : lengthUntil(end, given, time, zoneOf));
  }
}
