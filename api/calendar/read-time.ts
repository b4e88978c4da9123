/** Reads times and durations as RFC 5545 writes them. */

import { dayMs } from '../../runtime/recurrence/recurrence.ts';
import type { Offset } from '../../runtime/wall-clock.ts';

/** A written time: the numbers that clocks show, in milliseconds as if it were UTC; a date is its midnight. */
export interface WrittenTime {
  naive: number;
  isDate: boolean;
  isUtc: boolean;
}

/**
 * Reads a time or a date.
 * @returns undefined for a text that is not a time
 */
export function readTime(text: string): WrittenTime | undefined {
  const written = /^\s*(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)?(Z)?)?\s*$/i.exec(text);
  if (written === null) return undefined;
  const [, year, month, day, hour, minute = '0', second = '0', utc] = written;
  const [hours, minutes, seconds] = [Number(hour ?? 0), Number(minute), Number(second)];
  const midnight = new Date(0).setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  const date = new Date(midnight);
  if (date.getUTCMonth() + 1 !== Number(month) || date.getUTCDate() !== Number(day)) return undefined;
  // A minute may have 61 seconds, and 24:00:00 is the end of a day.
  if (hours > 23 && (hours > 24 || minutes + seconds > 0)) return undefined;
  if (minutes > 59 || seconds > 60) return undefined;
  const naive = midnight + ((hours * 60 + minutes) * 60 + seconds) * 1000;
  return { naive, isDate: hour === undefined, isUtc: utc !== undefined };
}

/** Reads a duration such as `P1DT2H`: whole days follow the clocks, the rest does not. */
export function readDuration(text: string): { days: number; ms: number } | undefined {
  const read = /^\s*\+?P(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,7})M)?(?:(\d{1,9})S)?)?\s*$/i.exec(
    text,
  );
  if (read === null) return undefined;
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = read.slice(1).map((part) => Number(part ?? 0));
  return { days: weeks * 7 + days, ms: ((hours * 60 + minutes) * 60 + seconds) * 1000 };
}

/** Returns the last time that a rule allows, as clocks at the place of the event show it. */
export function lastTime(rule: { until: string | undefined }, start: { isDate: boolean; offset: Offset }) {
  if (rule.until === undefined) return Infinity;
  const until = readTime(rule.until);
  if (until === undefined) throw new Error('UNTIL is not a time');
  if (until.isDate) return until.naive + dayMs - 1;
  if (start.isDate) return atPlace(until, start.offset);
  return until.isUtc ? until.naive + start.offset(until.naive) : until.naive;
}

/** The first and the last minute of a day of UTC mean that day: so dates are written by those who know no zone. */
const dayEdges = [0, dayMs - 60_000];

/**
 * Returns what clocks at a place show at a time that stands next to dates. A moment of UTC is converted: Outlook writes the
 * midnight of the place so, which lies on another day of UTC (RFC 5545, 3.3.10 has dates alone there).
 * @param offset of the place
 */
export function atPlace(time: { naive: number; isDate: boolean; isUtc: boolean }, offset: Offset) {
  const minute = Math.floor((time.naive - midnightOf(time.naive)) / 60_000) * 60_000;
  return time.isUtc && !dayEdges.includes(minute) ? time.naive + offset(time.naive) : time.naive;
}

/**
 * Returns the date that a time means next to dates, as its midnight.
 * @param offset of the place
 */
export const dateAtPlace = (time: { naive: number; isDate: boolean; isUtc: boolean }, offset: Offset) =>
  midnightOf(atPlace(time, offset));

/** Returns the midnight before a time that clocks show. */
export const midnightOf = (naive: number) => Math.floor(naive / dayMs) * dayMs;
