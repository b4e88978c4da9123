/**
 * Reads the times of a series that other events tell of (RFC 5545, 3.8.4.4): one time, or with `RANGE=THISANDFUTURE`
 * every time from one on.
 */

import { momentOfWallClock } from '../../runtime/wall-clock.mjs';
import { lengthOf, startOf, timeOf } from './event-times.mjs';
import { parameterOf, zoneNamed } from './read-ics.mjs';
import { dateAtPlace, midnightOf } from './read-time.mjs';

/** @typedef {import('./event-times.mjs').Component} Component */
/** @typedef {import('./event-times.mjs').Length} Length */
/** @typedef {import('./event-times.mjs').Property} Property */
/** @typedef {import('./event-times.mjs').Time} Time */
/** @typedef {import('./event-times.mjs').ZoneOf} ZoneOf */
/**
 * The times that take no place: moments, dates of any event, and dates of events that last whole days.
 * @typedef {{ moments: Set<number>, days: Set<number>, wholeDays: Set<number> }} Excluded
 */
/**
 * A change of a series from a time on; without a start of its own it moves nothing.
 * @typedef {{ event: Component, original: Time, start: Time | undefined, length: Length | undefined }} Change
 */
/** @typedef {{ single: Excluded, changes: Change[], hasSeries: boolean }} Overrides */

/**
 * A part of a series, by the times that the series itself names: from one time on up to the next stretch. One event
 * tells of it. `start` is undefined where nothing was changed.
 * @typedef {{ event: Component, from: number, to: number, shiftMs: number, start: Time | undefined, length: Length |
 *   undefined }} Stretch
 */

/** Tells whether an event changes all times of its series from its own on. */
export function changesFuture(/** @type {Component} */ event) {
  const [id] = event.get('RECURRENCE-ID') ?? [];
  return id !== undefined && parameterOf(id, 'RANGE')?.toUpperCase() === 'THISANDFUTURE';
}

/**
 * Collects the times that other events tell of, by UID.
 * @param {readonly Component[]} events
 * @param {ZoneOf} zoneOf
 */
export function overridesOf(events, zoneOf) {
  /** @type {Map<string, Overrides>} */
  const overrides = new Map();
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

/** @returns {Change | undefined} */
function changeOf(/** @type {Component} */ event, /** @type {ZoneOf} */ zoneOf) {
  const [id] = event.get('RECURRENCE-ID') ?? [];
  const original = id && timeOf(id, id.value, zoneOf);
  if (original === undefined) return undefined;
  const start = startOf(event, zoneOf);
  return { event, original, start, length: start && lengthOf(event, start, zoneOf) };
}

/**
 * Returns the stretches of a series, ascending. Each change counts from the times of the series, not from those of the
 * change before.
 * @param {Component} event
 * @param {Time} series the start of the series
 * @param {readonly Change[]} changes
 * @returns {Stretch[]}
 */
export function stretchesOf(event, series, changes) {
  const unchanged = { shiftMs: 0, start: undefined, length: undefined };
  /** @type {Stretch[]} */
  const stretches = [{ ...unchanged, event, from: -Infinity, to: Infinity }];
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
export function inSeries(/** @type {Time} */ time, /** @type {Time} */ series) {
  if (series.isDate) return dateAtPlace(time, series.offset);
  if (time.isDate) return midnightOf(time.naive) + series.naive - midnightOf(series.naive);
  const at = momentOfWallClock(time.naive, time.offset);
  return at + series.offset(at);
}

/**
 * Returns how far a change moves a series: "All subsequent instances are also rescheduled by the same time difference"
 * (3.2.13), by the numbers that clocks show.
 */
function movedBy(/** @type {Time} */ start, /** @type {Time} */ series, /** @type {number} */ from) {
  // A moment says nothing of a zone, so the times go on by the clocks of the series.
  const keepsZone = start.isUtc && !series.isDate;
  const naive = keepsZone ? inSeries(start, series) : start.naive;
  return { start: keepsZone ? series : start, shiftMs: naive - from };
}

/** @returns {Excluded} */
const nothingExcluded = () => ({ moments: new Set(), days: new Set(), wholeDays: new Set() });

/** Returns the times of an event's EXDATE. */
export function excludedBy(/** @type {Component} */ event, /** @type {ZoneOf} */ zoneOf) {
  const excluded = nothingExcluded();
  exclude(excluded, event.get('EXDATE') ?? [], zoneOf);
  return excluded;
}

function exclude(
  /** @type {Excluded} */ excluded,
  /** @type {readonly Property[]} */ properties,
  /** @type {ZoneOf} */ zoneOf,
) {
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

/** Tells whether a time takes no place. `at` is its moment, or its date. */
export function isExcluded(
  /** @type {number} */ at,
  /** @type {Time} */ { naive, isDate },
  /** @type {Excluded | undefined} */ excluded,
) {
  if (excluded === undefined) return false;
  const day = midnightOf(naive);
  return isDate ? excluded.wholeDays.has(day) : excluded.moments.has(at) || excluded.days.has(day);
}
