/** Lists the events of a calendar within a range of days. An event that cannot be understood costs itself only. */

import { Budget, BudgetSpent } from '../../runtime/recurrence/recurrence.mjs';
import { ianaOffset, momentOfWallClock } from '../../runtime/wall-clock.mjs';
import { instancesOf } from './event-instances.mjs';
import { feedZones } from './feed-zones.mjs';
import { changesFuture, overridesOf } from './overrides.mjs';
import { plainText, readIcs } from './read-ics.mjs';

/** @typedef {import('./read-ics.mjs').Component} Component */
/** @typedef {import('./event-instances.mjs').Instance} Instance */
/**
 * The work of one reading.
 * @typedef {{ text: string, from: string, to: string, fromMs: number, toMs: number, timeZone: string, maxEvents: number
 *   }} FeedJob
 */

const dayMs = 86_400_000;
const maxTextLength = 200;
/** The days that may be looked at for the rules of one event, and for those of a whole feed (T-53). */
const maxWork = { event: 400_000, feed: 1_200_000 };

/** @param {FeedJob} job */
export function expandEvents({ text, from, to, fromMs, toMs, timeZone, maxEvents }) {
  const read = readIcs(text);
  if (read === undefined) return { ok: false, problem: 'the answer is no iCalendar file' };
  const budget = new Budget(maxWork.feed);
  const zoneOf = feedZones(read.zones, timeZone, toMs + 366 * dayMs, budget);
  const events = latestOf(read.events);
  const summaryOf = summaries();
  /** @type {{ at: number, summary: string, instance: Instance }[]} */
  const found = [];
  const keepFirst = () => {
    found.sort((a, b) => a.at - b.at || (a.summary < b.summary ? -1 : 1)).splice(maxEvents);
  };
  try {
    const overrides = overridesOf(events, zoneOf);
    for (const event of events) {
      const own = new Budget(Math.min(maxWork.event, budget.left));
      const given = own.left;
      const instances = instancesOf(event, { zoneOf, overrides, fromMs, toMs, budget: own }).filter((instance) =>
        lies(instance, { from, to, fromMs, toMs }),
      );
      budget.spend(given - own.left);
      for (const instance of instances) {
        const summary = summaryOf(instance.event);
        if (summary !== undefined) found.push({ at: instance.at, summary, instance });
      }
      if (found.length > 20 * maxEvents) keepFirst();
    }
  } catch (error) {
    if (!(error instanceof BudgetSpent)) throw error;
    return { ok: false, problem: error.message };
  }
  keepFirst();
  const offset = ianaOffset(timeZone) ?? (() => 0);
  return {
    ok: true,
    events: found.map(({ summary, instance }) => ({
      ...plainEvent(summary, instance),
      // Whole days begin with the day at the place of the frame, whatever zone they were written in.
      at: instance.isDate ? momentOfWallClock(instance.at, offset) : instance.at,
    })),
  };
}

/** Keeps the last word on an event that is told twice, and on each of its instances. */
function latestOf(/** @type {readonly Component[]} */ events) {
  const latest = new Map();
  events.forEach((event, index) => {
    const [uid, instance, start] = ['UID', 'RECURRENCE-ID', 'DTSTART'].map((name) => event.get(name)?.[0]?.value);
    const what = instance === undefined ? [start] : [instance, changesFuture(event)];
    const key = uid === undefined ? index : JSON.stringify([uid, ...what]);
    const sequence = Number(event.get('SEQUENCE')?.[0]?.value) || 0;
    const before = latest.get(key);
    if (before === undefined || before.sequence <= sequence) latest.set(key, { event, sequence });
  });
  return [...latest.values()].map(({ event }) => event);
}

/**
 * Returns a function that finds the summary of an event, or undefined for one that is called off. It reads each summary
 * once, because a series asks for it many times.
 */
function summaries() {
  /** @type {Map<Component, string | undefined>} */
  const known = new Map();
  return (/** @type {Component} */ event) => {
    if (!known.has(event)) {
      const isCancelled = textOf(event, 'STATUS').toUpperCase() === 'CANCELLED';
      known.set(event, isCancelled ? undefined : textOf(event, 'SUMMARY'));
    }
    return known.get(event);
  };
}

/** Returns an instance as plain data. */
function plainEvent(/** @type {string} */ summary, /** @type {Instance} */ { event, at, end, isDate }) {
  const written = (/** @type {number} */ time) => new Date(time).toISOString().slice(0, isDate ? 10 : undefined);
  return {
    summary,
    location: textOf(event, 'LOCATION'),
    allDay: isDate,
    start: written(at),
    end: written(end),
  };
}

/** Returns a property as one line of text. */
function textOf(/** @type {Component} */ component, /** @type {string} */ name) {
  const text = plainText(component.get(name)?.[0]?.value ?? '');
  const line = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return line.length > maxTextLength ? `${line.slice(0, maxTextLength - 1)}…` : line;
}

/** @param {Instance} instance @param {Pick<FeedJob, 'from' | 'to' | 'fromMs' | 'toMs'>} range */
function lies({ at, end, isDate }, { from, to, fromMs, toMs }) {
  if (isDate) return at < Date.parse(to) && end > Date.parse(from);
  return at < toMs && (end > fromMs || at >= fromMs);
}
