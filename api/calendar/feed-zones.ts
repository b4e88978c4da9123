/**
 * Finds time zones by the names that feeds give them: declared in the feed, of IANA, of Windows, or as Outlook shows
 * them.
 */

import { readRule } from '../../runtime/recurrence/read-rule.ts';
import { type Budget, BudgetSpent, occurrences } from '../../runtime/recurrence/recurrence.ts';
import { ianaOffset, type Offset } from '../../runtime/wall-clock.ts';
import { namedByOffset, shownZone, statedOffset } from './outlook-zones.ts';
import type { Component } from './read-ics.ts';
import { readTime } from './read-time.ts';
import { windowsZone } from './windows-zones.ts';

/** The most names of zones in one feed; further ones stand for the paper's zone, because every name costs. */
const maxNames = 500;
/** The most changes of clocks that are kept of one zone: the latest ones. */
const maxChanges = 1_000;
/** The moment from which changes of clocks are followed. */
const earliest = Date.UTC(1970, 0, 1);

/**
 * Returns a function that finds the offsets of a zone by its name, and the names that it had to guess at, each with what
 * it was taken for.
 * @param paperZone the zone for times without a zone, and for times in one that nobody knows
 * @param until the moment up to which declared rules are followed, epoch milliseconds
 */
export function feedZones(
  declared: { name: string; changes: Component[] }[],
  paperZone: string,
  until: number,
  budget: Budget,
): { zoneOf: (name: string | undefined) => Offset; guessed: ReadonlyMap<string, string> } {
  const changesOf = new Map(declared.map(({ name, changes }) => [folded(name), changes]));
  const usual = ianaOffset(paperZone) ?? (() => 0);
  const iana = ianaZones();
  const known = new Map<string, Offset>();
  const guessed = new Map<string, string>();
  const zoneOf = (name: string | undefined) => {
    if (name === undefined) return usual;
    const before = known.get(name);
    if (before !== undefined) return before;
    if (known.size >= maxNames) return usual;
    const changes = changesOf.get(folded(name));
    // A place as IANA writes it needs no declaration, and many feeds declare it for one year only. CET or EST may be
    // anything.
    const offset =
      placeIn(name, iana) ??
      (changes === undefined ? undefined : declaredOffset(changes, until, budget)) ??
      namedOffset(name, iana, until);
    const only = offset === undefined ? onlyOffset(name, usual, until) : undefined;
    if (offset === undefined) {
      guessed.set(name, only === undefined || only === usual ? paperZone : offsetName(only(until)));
    }
    const found = offset ?? only ?? usual;
    known.set(name, found);
    return found;
  };
  return { zoneOf, guessed };
}

/** Writes an offset as people do: `UTC+01:00`. */
function offsetName(offset: number) {
  const minutes = Math.abs(offset) / 60_000;
  const pad = (number: number) => String(number).padStart(2, '0');
  return `UTC${offset < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
}

/**
 * Finds a place as IANA writes it, also behind a path that some writers put before it:
 * `/freeassociation.sourceforge.net/Europe/Berlin`.
 */
function placeIn(name: string, iana: (timeZone: string) => Offset | undefined) {
  const steps = name
    .split('/')
    .filter((step) => step !== '')
    .slice(-4);
  for (let from = 0; from < steps.length - 1; from++) {
    const offset = iana(steps.slice(from).join('/'));
    if (offset !== undefined) return offset;
  }
  return undefined;
}

/** Folds a name for comparisons: writers differ in quotes, spaces and capitals. */
const folded = (name: string) =>
  name
    .replace(/["\s]+/g, ' ')
    .trim()
    .toLowerCase();

/**
 * Returns a function that finds offsets by IANA names and keeps them: many other names may stand for one zone, and each
 * zone costs.
 */
function ianaZones() {
  const known = new Map<string, Offset>();
  return (timeZone: string) => {
    const offset = known.get(timeZone) ?? ianaOffset(timeZone);
    if (offset !== undefined) known.set(timeZone, offset);
    return offset;
  };
}

function namedOffset(name: string, iana: (timeZone: string) => Offset | undefined, until: number): Offset | undefined {
  const fixed = namedByOffset(name);
  if (fixed !== undefined) return () => fixed;
  // Google numbers zones of one name that it read from several calendars: `GMT Standard Time 1`.
  const plain = folded(name);
  const named = iana(windowsZone(plain) ?? windowsZone(plain.replace(/ \d{1,3}$/, '')) ?? name);
  if (named !== undefined) return named;
  // Behind a path there may be a name that is not a place: `tzone://Microsoft/Utc`.
  const last = iana(name.slice(name.lastIndexOf('/') + 1));
  if (last !== undefined) return last;
  return shownZone(name, (timeZone, stated) => {
    const offset = iana(timeZone);
    return stated === undefined || (offset && defaultOffset(offset, until)) === stated ? offset : undefined;
  });
}

/**
 * Returns the offsets for a name that states nothing but its distance from UTC: those of the paper's zone if it has the
 * same distance, for the sake of summer time, and otherwise fixed ones.
 */
function onlyOffset(name: string, usual: Offset, until: number): Offset | undefined {
  const stated = statedOffset(name);
  if (stated === undefined) return undefined;
  return defaultOffset(usual, until) === stated ? usual : () => stated;
}

/** Returns how far clocks are ahead when it is not summer. */
function defaultOffset(offset: Offset, until: number) {
  const year = new Date(until).getUTCFullYear();
  return Math.min(offset(Date.UTC(year, 0, 1)), offset(Date.UTC(year, 6, 1)));
}

/**
 * Returns the offsets that a feed declares for a zone.
 * @returns undefined where it declares nothing that could be followed
 */
function declaredOffset(changes: Component[], until: number, budget: Budget): Offset | undefined {
  const found: { at: number; from: number; to: number }[] = [];
  for (const change of changes) {
    const [from, to] = ['TZOFFSETFROM', 'TZOFFSETTO'].map((name) => offsetOf(change.get(name)?.[0]?.value ?? ''));
    const start = readTime(change.get('DTSTART')?.[0]?.value ?? '');
    if (from === undefined || to === undefined || start === undefined) continue;
    const times = { start: start.naive, offset: from, to: until };
    for (const naive of onsets(change, times, budget)) found.push({ at: naive - from, from, to });
  }
  found.sort((a, b) => a.at - b.at).splice(0, Math.max(0, found.length - maxChanges));
  const [first] = found;
  if (first === undefined) return undefined;
  return (moment) => found.findLast(({ at }) => at <= moment)?.to ?? first.from;
}

/**
 * Yields the times at which clocks are changed, by the numbers that they show before, when they are ahead by `offset`.
 */
function* onsets(
  change: Component,
  { start, offset, to }: { start: number; offset: number; to: number },
  budget: Budget,
) {
  yield start;
  for (const { value } of change.get('RDATE') ?? []) {
    for (const item of value.split(',')) {
      const time = readTime(item);
      if (time !== undefined) yield time.naive;
    }
  }
  for (const { value } of change.get('RRULE') ?? []) {
    try {
      const rule = readRule(value);
      const last = rule.until === undefined ? undefined : readTime(rule.until);
      const until = last === undefined ? Infinity : last.naive + (last.isUtc ? offset : 0);
      yield* occurrences(rule, start, { from: earliest, to, until }, budget);
    } catch (error) {
      if (error instanceof BudgetSpent) throw error; // otherwise the changes of this rule are missing
    }
  }
}

/** Reads `+0100` as milliseconds. */
function offsetOf(text: string) {
  const [, sign, hours, minutes, seconds = '0'] = /^([+-])(\d\d)(\d\d)(\d\d)?$/.exec(text) ?? [];
  if (sign === undefined) return undefined;
  const ms = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -ms : ms;
}
