/** Lists the events of a calendar within a range of days. An event that cannot be understood costs itself only. */

import { Budget, BudgetSpent } from '../../runtime/recurrence/recurrence.ts';
import { ianaOffset, momentOfWallClock } from '../../runtime/wall-clock.ts';
import { type Instance, instancesOf } from './event-instances.ts';
import { feedZones } from './feed-zones.ts';
import { isCancelled, latestOf } from './latest-versions.ts';
import { overridesOf } from './overrides.ts';
import { type Component, readIcs, zoneNamed } from './read-ics.ts';
import { readTime } from './read-time.ts';
import { withWholeDays } from './whole-days.ts';

/** The work of one reading. */
export interface FeedJob {
  text: string;
  from: string;
  to: string;
  fromMs: number;
  toMs: number;
  timeZone: string;
  maxEvents: number;
}

const dayMs = 86_400_000;
const maxTextLength = 200;
/** The most guessed zones that are reported, and the most characters of a name. */
const maxGuesses = 3;
const maxZoneLength = 60;
/** The days that may be looked at for the rules of one event, and for those of a whole feed (T-53). */
const maxWork = { event: 400_000, feed: 1_200_000 };

/** Reads a feed and returns its events in the range, earliest first, or the reason why there are none. Never throws for a feed. */
export function expandEvents({ text, from, to, fromMs, toMs, timeZone, maxEvents }: FeedJob) {
  const read = readIcs(text);
  if (read === undefined) return { ok: false, problem: { code: 'calendar-not-icalendar' } };
  const budget = new Budget(maxWork.feed);
  const { zoneOf, guessed } = feedZones(read.zones, timeZone, toMs + 366 * dayMs, budget);
  const summaryOf = summaries();
  const offset = ianaOffset(timeZone) ?? (() => 0);
  const found: { at: number; summary: string; instance: Instance }[] = [];
  const keepFirst = () => {
    found.sort((a, b) => a.at - b.at || (a.summary < b.summary ? -1 : 1)).splice(maxEvents);
  };
  try {
    const events = latestOf(withWholeDays(read.events, zoneOf), zoneOf);
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
        // Whole days begin with the day at the place of the frame, whatever zone they were written in.
        const at = instance.isDate ? momentOfWallClock(instance.at, offset) : instance.at;
        if (summary !== undefined) found.push({ at, summary, instance });
      }
      if (found.length > 20 * maxEvents) keepFirst();
    }
  } catch (error) {
    if (!(error instanceof BudgetSpent)) throw error;
    return { ok: false, problem: { code: 'calendar-takes-long' } };
  }
  keepFirst();
  return {
    ok: true,
    events: found.map(({ at, summary, instance }) => ({ ...plainEvent(summary, instance), at })),
    guessed: guessesIn(found, guessed),
  };
}

/** Returns the zones of shown events that had to be guessed, by their names, and what they were taken for. */
function guessesIn(found: readonly { instance: Instance }[], guessed: ReadonlyMap<string, string>) {
  const shown = new Map<string, string>();
  for (const { instance } of guessed.size === 0 ? [] : found) {
    const [start] = instance.event.get('DTSTART') ?? [];
    const zone = start && !instance.isDate && readTime(start.value)?.isUtc === false ? zoneNamed(start) : undefined;
    const taken = zone === undefined ? undefined : guessed.get(zone);
    if (zone !== undefined && taken !== undefined) shown.set(zone, taken);
  }
  return [...shown].slice(0, maxGuesses).map(([zone, taken]) => ({ zone: zone.slice(0, maxZoneLength), taken }));
}

/**
 * Returns a function that finds the summary of an event, or undefined for one that is called off. It reads each summary
 * once, because a series asks for it many times.
 */
function summaries() {
  const known = new Map<Component, string | undefined>();
  return (event: Component) => {
    if (!known.has(event)) {
      known.set(event, isCancelled(event) ? undefined : textOf(event, 'SUMMARY'));
    }
    return known.get(event);
  };
}

/** Returns an instance as plain data. */
function plainEvent(summary: string, { event, at, end, isDate }: Instance) {
  const written = (time: number) => new Date(time).toISOString().slice(0, isDate ? 10 : undefined);
  return {
    summary,
    location: textOf(event, 'LOCATION'),
    allDay: isDate,
    start: written(at),
    end: written(end),
    ...(/^transparent$/i.test(textOf(event, 'TRANSP')) && { isFree: true as const }),
  };
}

/** Returns a property as one line of text. */
function textOf(component: Component, name: string) {
  const text = component.get(name)?.[0]?.value ?? '';
  const line = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return line.length > maxTextLength ? `${line.slice(0, maxTextLength - 1)}…` : line;
}

function lies(
  { at, end, isDate }: Instance,
  { from, to, fromMs, toMs }: Pick<FeedJob, 'from' | 'to' | 'fromMs' | 'toMs'>,
) {
  if (isDate) return at < Date.parse(to) && end > Date.parse(from);
  return at < toMs && (end > fromMs || at >= fromMs);
}
