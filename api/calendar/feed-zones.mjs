/** Time zones by the names that feeds give them: declared in the feed, of IANA, or of Windows. */
import { readTime } from './read-time.mjs';
import { BudgetSpent, occurrences, readRule } from './recurrence.mjs';
import { windowsZones } from './windows-zones.mjs';

/** @typedef {import('./read-ics.mjs').Component} Component */
/** How far clocks in a zone are ahead of UTC at a moment, both in milliseconds. @typedef {(at: number) => number} Offset */

const dayMs = 86_400_000;
const quarterMs = 900_000;
/** Clocks are not changed twice within it. */
const stretchMs = 4 * dayMs;
/** Names beyond so many are the paper's zone: every one costs. */
const mostNames = 500;
/** Changes of clocks in one zone, the latest. */
const mostChanges = 1_000;
/** Changes of clocks are followed from here on. */
const earliest = Date.UTC(1970, 0, 1);

/**
 * What finds the offsets of a zone by name.
 * @param {{ name: string, changes: Component[] }[]} declared
 * @param {string} paperZone for times without a zone, and in one that nobody knows
 * @param {number} until how far declared rules are followed, epoch milliseconds
 * @param {import('./recurrence.mjs').Budget} budget
 * @returns {(name: string | undefined) => Offset}
 */
export function feedZones(declared, paperZone, until, budget) {
  const changesOf = new Map(declared.map(({ name, changes }) => [name, changes]));
  const usual = ianaOffset(paperZone) ?? (() => 0);
  /** @type {Map<string, Offset>} */
  const known = new Map();
  return (name) => {
    if (name === undefined) return usual;
    const before = known.get(name);
    if (before !== undefined) return before;
    if (known.size >= mostNames) return usual;
    const changes = changesOf.get(name);
    // A place as IANA writes it needs no declaration, and many declare it for one year only. CET or EST may be anything.
    const offset =
      (/^[a-z]+\/./i.test(name) ? ianaOffset(name) : undefined) ??
      (changes === undefined ? undefined : declaredOffset(changes, until, budget)) ??
      namedOffset(name) ??
      usual;
    known.set(name, offset);
    return offset;
  };
}

/** @returns {Offset | undefined} */
function namedOffset(/** @type {string} */ name) {
  const iana = ianaOffset(windowsZones.get(name.toLowerCase()) ?? name);
  if (iana !== undefined) return iana;
  // `/freeassociation.sourceforge.net/Europe/Berlin`
  const steps = name.split('/').slice(-4);
  for (let from = 1; from < steps.length; from++) {
    const offset = ianaOffset(steps.slice(from).join('/'));
    if (offset !== undefined) return offset;
  }
  return undefined;
}

/** The offsets of a zone by its IANA name. @returns {Offset | undefined} undefined for what is none */
export function ianaOffset(/** @type {string} */ timeZone) {
  let format;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
    });
  } catch {
    return undefined;
  }
  /** @type {Map<number, number>} */
  const found = new Map();
  const at = (/** @type {number} */ quarter) => {
    const before = found.get(quarter);
    if (before !== undefined) return before;
    const [month = 1, day = 1, year = 1970, hour = 0, minute = 0, second = 0] = (
      format.format(quarter).match(/\d+/g) ?? []
    ).map(Number);
    const offset = Date.UTC(year, month - 1, day, hour, minute, second) - quarter;
    found.set(quarter, offset);
    return offset;
  };
  return (moment) => {
    const begin = Math.floor(moment / stretchMs) * stretchMs;
    const offset = at(begin);
    return offset === at(begin + stretchMs) ? offset : at(Math.floor(moment / quarterMs) * quarterMs);
  };
}

/** @returns {Offset | undefined} undefined where it declares nothing that could be followed */
function declaredOffset(
  /** @type {Component[]} */ changes,
  /** @type {number} */ until,
  /** @type {import('./recurrence.mjs').Budget} */ budget,
) {
  /** @type {{ at: number, from: number, to: number }[]} */
  const found = [];
  for (const change of changes) {
    const [from, to] = ['TZOFFSETFROM', 'TZOFFSETTO'].map((name) => offsetOf(change.get(name)?.[0]?.value ?? ''));
    const start = readTime(change.get('DTSTART')?.[0]?.value ?? '');
    if (from === undefined || to === undefined || start === undefined) continue;
    for (const naive of onsets(change, start.naive, from, until, budget)) found.push({ at: naive - from, from, to });
  }
  found.sort((a, b) => a.at - b.at).splice(0, Math.max(0, found.length - mostChanges));
  const [first] = found;
  if (first === undefined) return undefined;
  return (moment) => found.findLast(({ at }) => at <= moment)?.to ?? first.from;
}

/** When clocks are changed, by the numbers they show before. */
function* onsets(
  /** @type {Component} */ change,
  /** @type {number} */ start,
  /** @type {number} */ offset,
  /** @type {number} */ to,
  /** @type {import('./recurrence.mjs').Budget} */ budget,
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
      if (error instanceof BudgetSpent) throw error; // else the changes of this rule are missing
    }
  }
}

/** `+0100` in milliseconds. */
function offsetOf(/** @type {string} */ text) {
  const [, sign, hours, minutes, seconds = '0'] = /^([+-])(\d\d)(\d\d)(\d\d)?$/.exec(text) ?? [];
  if (sign === undefined) return undefined;
  const ms = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -ms : ms;
}
