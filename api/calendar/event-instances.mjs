/** When an event takes place: once, by its rules and dates, or as one time of a series that is told of by itself. */
import { zoneNamed } from './read-ics.mjs';
import { momentOf, readDuration, readTime } from './read-time.mjs';
import { dayMs, occurrences, readRule } from './recurrence.mjs';

/** @typedef {import('./read-ics.mjs').Component} Component */
/** @typedef {import('./read-ics.mjs').Property} Property */
/** @typedef {import('./feed-zones.mjs').Offset} Offset */
/** @typedef {(name: string | undefined) => Offset} ZoneOf */
/** @typedef {{ naive: number, isDate: boolean, isUtc: boolean, offset: Offset }} Time */
/** Epoch milliseconds, of whole days those of UTC. @typedef {{ at: number, end: number, isDate: boolean }} Instance */
/** Times that take no place: moments; dates, of whatever event; dates of what lasts whole days. @typedef {{ moments: Set<number>, days: Set<number>, wholeDays: Set<number> }} Excluded */

/** What repeats and began longer ago is over. */
const longestMs = 400 * dayMs;

/**
 * The instances about a range, or none of an event that cannot be understood.
 * @param {Component} event
 * @param {{ zoneOf: ZoneOf, moved: ReadonlyMap<string, Excluded>, fromMs: number, toMs: number,
 *   budget: import('./recurrence.mjs').Budget }} reader
 * @returns {Instance[]}
 */
export function instancesOf(event, { zoneOf, moved, fromMs, toMs, budget }) {
  const [property] = event.get('DTSTART') ?? [];
  const start = property && timeOf(property, property.value, zoneOf);
  if (start === undefined) return [];
  const length = lengthOf(event, start, zoneOf);
  const rules = event.get('RRULE') ?? [];
  const dates = event.get('RDATE') ?? [];
  if (event.has('RECURRENCE-ID') || rules.length + dates.length === 0) return [instanceAt(start, length)];
  const exceptions = [excludedTimes(event.get('EXDATE') ?? [], zoneOf), moved.get(event.get('UID')?.[0]?.value ?? '')];
  const slackMs = 2 * dayMs;
  const lastedMs = Math.min(longestMs, length.days * dayMs + length.ms);
  const range = { from: fromMs - lastedMs - slackMs, to: toMs + slackMs };
  /** @type {Map<number, Instance>} */
  const found = new Map();
  const add = (/** @type {Time} */ time, /** @type {Length} */ lasting) => {
    const instance = instanceAt(time, lasting);
    if (!exceptions.some((excluded) => isExcluded(instance.at, time, excluded))) found.set(instance.at, instance);
  };
  try {
    add(start, length);
    for (const { value } of rules) {
      // Every second or minute of the year is no appointment.
      if (/FREQ=(SECONDLY|MINUTELY)/i.test(value)) continue;
      const rule = readRule(value);
      const times = occurrences(rule, start.naive, { ...range, until: lastTime(rule, start) }, budget);
      for (const naive of times) add({ ...start, naive }, length);
    }
    for (const given of dates) addDates(given, start, { length, zoneOf, add });
  } catch {
    return [];
  }
  return [...found.values()];
}

/**
 * RFC 5545, 3.8.5.2: times, dates, or periods that last as long as they say.
 * @param {Property} given
 * @param {Time} start
 * @param {{ length: Length, zoneOf: ZoneOf, add: (time: Time, lasting: Length) => void }} series
 */
function addDates(given, start, { length, zoneOf, add }) {
  for (const item of given.value.split(',')) {
    const [begin = '', end] = item.split('/');
    const time = timeOf(given, begin, zoneOf);
    if (time === undefined) continue;
    const midnight = Math.floor(time.naive / dayMs) * dayMs;
    if (start.isDate) add({ ...start, naive: midnight }, length);
    else if (time.isDate)
      add({ ...start, naive: midnight + (start.naive - Math.floor(start.naive / dayMs) * dayMs) }, length);
    else add(time, end === undefined ? length : lengthUntil(end, given, time, zoneOf));
  }
}

/** @typedef {{ days: number, ms: number }} Length whole days go by what clocks show */

/** @returns {Length} */
function lengthOf(/** @type {Component} */ event, /** @type {Time} */ start, /** @type {ZoneOf} */ zoneOf) {
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
function lengthUntil(text, property, start, zoneOf) {
  const duration = readDuration(text);
  if (duration !== undefined) return duration;
  const end = timeOf(property, text, zoneOf);
  if (end === undefined) return { days: 0, ms: 0 };
  // An end by the date alone is that day's beginning where the event is.
  const { offset } = end.isDate ? start : end;
  const ms = start.isDate ? end.naive - start.naive : momentOf(end.naive, offset) - momentOf(start.naive, start.offset);
  return { days: 0, ms: Math.max(0, ms) };
}

/** @returns {Instance} */
function instanceAt(/** @type {Time} */ { naive, isDate, offset }, /** @type {Length} */ { days, ms }) {
  if (isDate) return { at: naive, end: naive + days * dayMs, isDate };
  const at = momentOf(naive, offset);
  return { at, end: (days === 0 ? at : momentOf(naive + days * dayMs, offset)) + ms, isDate };
}

/** The last time that a rule allows, as clocks where the event is show it. */
export function lastTime(
  /** @type {{ until: string | undefined }} */ rule,
  /** @type {Pick<Time, 'isDate' | 'offset'>} */ start,
) {
  if (rule.until === undefined) return Infinity;
  const until = readTime(rule.until);
  if (until === undefined) throw new Error('UNTIL is no time');
  if (until.isDate) return until.naive + dayMs - 1;
  return until.isUtc && !start.isDate ? until.naive + start.offset(until.naive) : until.naive;
}

/**
 * Which times of a series are told of by themselves (RFC 5545, 3.8.4.4), by UID.
 * @param {readonly Component[]} events
 * @param {ZoneOf} zoneOf
 */
export function movedTimes(events, zoneOf) {
  /** @type {Map<string, Excluded>} */
  const moved = new Map();
  for (const event of events) {
    const [uid, properties] = [event.get('UID')?.[0]?.value, event.get('RECURRENCE-ID')];
    if (uid !== undefined && properties !== undefined)
      moved.set(uid, excludedTimes(properties, zoneOf, moved.get(uid)));
  }
  return moved;
}

/**
 * @param {readonly Property[]} properties
 * @param {ZoneOf} zoneOf
 * @param {Excluded} [excluded] what they are added to
 */
function excludedTimes(properties, zoneOf, excluded = { moments: new Set(), days: new Set(), wholeDays: new Set() }) {
  for (const property of properties) {
    for (const item of property.value.split(',')) {
      const time = timeOf(property, item, zoneOf);
      if (time === undefined) continue;
      const day = Math.floor(time.naive / dayMs);
      if (time.isDate) excluded.days.add(day);
      else excluded.moments.add(momentOf(time.naive, time.offset));
      excluded.wholeDays.add(day);
    }
  }
  return excluded;
}

function isExcluded(
  /** @type {number} */ at,
  /** @type {Time} */ { naive, isDate },
  /** @type {Excluded | undefined} */ excluded,
) {
  if (excluded === undefined) return false;
  const day = Math.floor(naive / dayMs);
  return isDate ? excluded.wholeDays.has(day) : excluded.moments.has(at) || excluded.days.has(day);
}

/** @returns {Time | undefined} */
function timeOf(/** @type {Property} */ property, /** @type {string} */ text, /** @type {ZoneOf} */ zoneOf) {
  const time = readTime(text);
  return time && { ...time, offset: time.isUtc || time.isDate ? inUtc : zoneOf(zoneNamed(property)) };
}

const inUtc = () => 0;
