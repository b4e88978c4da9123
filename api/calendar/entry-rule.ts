/** Reads the times at which a playlist's entry begins, as people and clients in the field write them. */

import { type Reason, reasonOf } from '../../reasons/reason.ts';
import { ReasonedError } from '../../reasons/reasoned-error.ts';
import { type Rule, readRule, ruleParts } from '../../runtime/recurrence/read-rule.ts';
import { ianaOffset, momentOfWallClock, type Offset } from '../../runtime/wall-clock.ts';
import { lastTime, readTime } from './read-time.ts';

/**
 * The first begin of an entry: the time that clocks in the playlist's zone show then, as if it were UTC, and the
 * moment.
 */
export interface EntryStart {
  readonly naive: number;
  readonly at: number;
}

/** The times at which an entry begins; without a rule it begins once. */
export interface EntryTimes {
  readonly start: EntryStart;
  readonly rule?: Rule & { readonly last: number };
}

/** A fault in an entry's times. */
class EntryProblem extends ReasonedError {}

const maxRuleLength = 500;

/**
 * Reads the times at which a stored entry begins.
 * @param offset the offset of the playlist's zone
 * @throws Error for an entry that never begins
 */
export function entryTimes({ startsAt, rrule }: Readonly<Record<string, unknown>>, offset: Offset): EntryTimes {
  const { dtstart, rule, isMore } = linesOf(rrule);
  if (isMore) fails('holds more than one DTSTART and one RRULE');
  // Clients in the field write both starts, with the same time; the rule counts from its own.
  const start = dtstart === undefined ? readStart(startsAt, offset) : readDtstart(dtstart, offset);
  return rule === undefined ? { start } : { start, rule: readLine(rule, offset) };
}

/**
 * Reports what is wrong with the times of an entry that somebody saves. Only stored entries may hold parts that mean
 * nothing.
 */
export function entryProblem(entry: Readonly<Record<string, unknown>>, offset: Offset): Reason | undefined {
  const { rrule } = entry;
  try {
    if (rrule !== undefined && rrule !== null && typeof rrule !== 'string') fails('is not text');
    entryTimes(entry, offset);
    const names = linesOf(rrule)
      .rule?.split(';')
      .map((part) => part.split('=')[0]?.trim().toUpperCase() ?? '');
    const unknown = names?.find((name) => name !== '' && !ruleParts.includes(name));
    if (unknown !== undefined) fails(`${unknown.slice(0, 20)} is not a part of a rule`);
    return undefined;
  } catch (error) {
    if (error instanceof EntryProblem) return error.reason;
    throw error;
  }
}

/** Splits a rule's text into its lines: the rule alone, or the rule below the `DTSTART` that it counts from. */
function linesOf(rrule: unknown): { dtstart: string | undefined; rule: string | undefined; isMore: boolean } {
  const text = typeof rrule === 'string' ? rrule : '';
  if (text.length > maxRuleLength) fails(`is longer than ${maxRuleLength} characters`);
  const lines = text
    .split(/[\r\n]/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const dtstart = lines.find((line) => /^DTSTART[;:]/i.test(line));
  const [rule, ...more] = lines.filter((line) => line !== dtstart);
  return { dtstart, rule: rule?.replace(/^RRULE:/i, ''), isMore: more.length > 0 };
}

function readLine(text: string, offset: Offset): Rule & { readonly last: number } {
  try {
    const rule = readRule(text);
    return { ...rule, last: lastTime(rule, { isDate: false, offset }) };
  } catch (error) {
    return fails(error instanceof Error ? error.message : String(error));
  }
}

/**
 * Reads a start. `2026-03-01T07:00` is local; with an offset or `Z` it is a moment, whose local numbers a rule goes on
 * from.
 */
function readStart(text: unknown, offset: Offset): EntryStart {
  const written =
    typeof text === 'string' ? /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d)?$/.exec(text) : null;
  const at = Date.parse(written?.[2] === undefined ? `${written?.[1]}Z` : written[0]);
  if (Number.isNaN(at)) {
    const example = '2026-03-01T07:00 or 2026-03-01T06:00:00Z';
    throw new EntryProblem(reasonOf('field-not-start', { field: 'startsAt', example }));
  }
  return written?.[2] === undefined ? { naive: at, at: momentOfWallClock(at, offset) } : { naive: at + offset(at), at };
}

/** Reads a line such as `DTSTART:20260301T060000Z`, or one with `;TZID=Europe/Berlin`. */
function readDtstart(line: string, offset: Offset): EntryStart {
  const [, named, value = ''] = /^DTSTART(?:;TZID="?([^";:]+)"?|;VALUE=DATE(?:-TIME)?)?:(.*)$/i.exec(line) ?? [];
  const time = readTime(value);
  if (time === undefined) fails('DTSTART is not a time such as 20260301T070000');
  const own = time.isUtc ? () => 0 : named === undefined ? offset : ianaOffset(named);
  if (own === undefined) fails('DTSTART names a time zone that is not known');
  const at = momentOfWallClock(time.naive, own);
  return own === offset ? { naive: time.naive, at } : { naive: at + offset(at), at };
}

function fails(problem: string): never {
  throw new EntryProblem(reasonOf('field-not-rule', { field: 'rrule', problem }));
}
