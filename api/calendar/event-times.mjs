/** Reads the written times of one event: its start by the clocks of its zone, and how long it lasts. */

import { dayMs } from '../../runtime/recurrence/recurrence.mjs';
import { momentOfWallClock } from '../../runtime/wall-clock.mjs';
import { parameterOf, zoneNamed } from './read-ics.mjs';
import { atPlace, dateAtPlace, readDuration, readTime } from './read-time.mjs';

/** @typedef {import('./read-ics.mjs').Component} Component */
/** @typedef {import('./read-ics.mjs').Property} Property */
/** @typedef {import('../../runtime/wall-clock.mjs').Offset} Offset */
/** @typedef {(name: string | undefined) => Offset} ZoneOf */
/**
 * A time. The offset of a date is that of its calendar or paper, by which moments beside it become dates.
 * @typedef {{ naive: number, isDate: boolean, isUtc: boolean, offset: Offset }} Time
 */
/** @typedef {{ days: number, ms: number }} Length whole days go by what clocks show */

/** @returns {Time | undefined} */
export function startOf(/** @type {Component} */ event, /** @type {ZoneOf} */ zoneOf) {
  const [property] = event.get('DTSTART') ?? [];
  return property && timeOf(property, property.value, zoneOf);
}

/** @returns {Time | undefined} */
export function timeOf(/** @type {Property} */ property, /** @type {string} */ text, /** @type {ZoneOf} */ zoneOf) {
  const time = readTime(text);
  if (time === undefined) return undefined;
  const isCalledDate = parameterOf(property, 'VALUE')?.toUpperCase() === 'DATE';
  const offset = time.isUtc && !isCalledDate ? inUtc : zoneOf(zoneNamed(property));
  // Some writers call a time a date.
  if (isCalledDate && !time.isDate) return { naive: dateAtPlace(time, offset), isDate: true, isUtc: false, offset };
  return { ...time, offset };
}

const inUtc = () => 0;

/** @returns {Length} */
export function lengthOf(/** @type {Component} */ event, /** @type {Time} */ start, /** @type {ZoneOf} */ zoneOf) {
  const [end] = event.get('DTEND') ?? event.get('DURATION') ?? [];
  const length = end === undefined ? { days: 0, ms: 0 } : lengthUntil(end.value, end, start, zoneOf);
  return start.isDate ? { days: Math.max(1, length.days + Math.ceil(length.ms / dayMs)), ms: 0 } : length;
}

/**
 * @param {string} text a duration or an end
 * @param {Property} property
 * @param {Time} start
 * @param {ZoneOf} zoneOf
 * @returns {Length}
 */
export function lengthUntil(text, property, start, zoneOf) {
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

/**
 * Returns the begin and the end of an event in epoch milliseconds; whole days are those of UTC.
 * @returns {{ at: number, end: number, isDate: boolean }}
 */
export function spanOf(/** @type {Time} */ { naive, isDate, offset }, /** @type {Length} */ { days, ms }) {
  if (isDate) return { at: naive, end: naive + days * dayMs, isDate };
  const at = momentOfWallClock(naive, offset);
  return { at, end: (days === 0 ? at : momentOfWallClock(naive + days * dayMs, offset)) + ms, isDate };
}
