/** What takes place by a calendar within a range of days. An event that cannot be understood costs itself only. */
import { instancesOf, movedTimes } from './event-instances.mjs';
import { feedZones } from './feed-zones.mjs';
import { plainText, readIcs } from './read-ics.mjs';
import { Budget, BudgetSpent } from './recurrence.mjs';

/** @typedef {import('./read-ics.mjs').Component} Component */
/** @typedef {import('./event-instances.mjs').Instance} Instance */
/** @typedef {{ text: string, from: string, to: string, fromMs: number, toMs: number, timeZone: string, mostEvents: number }} FeedJob */

const dayMs = 86_400_000;
const longestText = 200;
/** T-53: days looked at for the rules of one event, and of all. */
const mostWork = { event: 400_000, feed: 1_200_000 };

/** @param {FeedJob} job */
export function expandEvents({ text, from, to, fromMs, toMs, timeZone, mostEvents }) {
  const read = readIcs(text);
  if (read === undefined) return { ok: false, problem: 'the answer is no iCalendar file' };
  const budget = new Budget(mostWork.feed);
  const zoneOf = feedZones(read.zones, timeZone, toMs + 366 * dayMs, budget);
  const moved = movedTimes(read.events, zoneOf);
  /** @type {{ at: number, summary: string, component: Component, instance: Instance }[]} */
  const found = [];
  const keepFirst = () => {
    found.sort((a, b) => a.at - b.at || (a.summary < b.summary ? -1 : 1)).splice(mostEvents);
  };
  try {
    for (const component of latestOf(read.events)) {
      const own = new Budget(Math.min(mostWork.event, budget.left));
      const given = own.left;
      const instances = instancesOf(component, { zoneOf, moved, fromMs, toMs, budget: own }).filter((instance) =>
        lies(instance, { from, to, fromMs, toMs }),
      );
      budget.spend(given - own.left);
      if (instances.length === 0 || textOf(component, 'STATUS').toUpperCase() === 'CANCELLED') continue;
      const summary = textOf(component, 'SUMMARY');
      for (const instance of instances) found.push({ at: instance.at, summary, component, instance });
      if (found.length > 20 * mostEvents) keepFirst();
    }
  } catch (error) {
    if (!(error instanceof BudgetSpent)) throw error;
    return { ok: false, problem: error.message };
  }
  keepFirst();
  return {
    ok: true,
    events: found.map(({ summary, component, instance }) => plainEvent(summary, component, instance)),
  };
}

/** Of an event that is told twice, and of one of its instances, the last word. */
function latestOf(/** @type {readonly Component[]} */ events) {
  const latest = new Map();
  events.forEach((event, index) => {
    const [uid, instance, start] = ['UID', 'RECURRENCE-ID', 'DTSTART'].map((name) => event.get(name)?.[0]?.value);
    const key =
      uid === undefined ? index : JSON.stringify([uid, instance ?? null, instance === undefined ? start : null]);
    const sequence = Number(event.get('SEQUENCE')?.[0]?.value) || 0;
    const before = latest.get(key);
    if (before === undefined || before.sequence <= sequence) latest.set(key, { event, sequence });
  });
  return [...latest.values()].map(({ event }) => event);
}

/** An instance as plain data; `at` orders it. */
function plainEvent(
  /** @type {string} */ summary,
  /** @type {Component} */ component,
  /** @type {Instance} */ { at, end, isDate },
) {
  const written = (/** @type {number} */ time) => new Date(time).toISOString().slice(0, isDate ? 10 : undefined);
  return {
    summary,
    location: textOf(component, 'LOCATION'),
    allDay: isDate,
    start: written(at),
    end: written(end),
    at,
  };
}

/** A property as one line of text. */
function textOf(/** @type {Component} */ component, /** @type {string} */ name) {
  const text = plainText(component.get(name)?.[0]?.value ?? '');
  const line = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return line.length > longestText ? `${line.slice(0, longestText - 1)}…` : line;
}

/** @param {Instance} instance @param {Pick<FeedJob, 'from' | 'to' | 'fromMs' | 'toMs'>} range */
function lies({ at, end, isDate }, { from, to, fromMs, toMs }) {
  if (isDate) return at < Date.parse(to) && end > Date.parse(from);
  return at < toMs && (end > fromMs || at >= fromMs);
}
