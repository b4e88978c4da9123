/** Dates and times of day in time zones, as the people in front of a frame count them. */
import { BoundedMap } from './bounded-map.ts';
import { ianaOffset, momentOfWallClock, type Offset } from './wall-clock.ts';

const dayMs = 86_400_000;
const offsets = new BoundedMap<string, Offset>(100);

/** Returns the offset of a zone, and keeps it, because finding it is costly. */
export function zoneOffset(timeZone: string): Offset {
  const known = offsets.get(timeZone);
  if (known !== undefined) return known;
  const offset = ianaOffset(timeZone);
  if (offset === undefined) throw new RangeError(`${timeZone} is not a time zone`);
  offsets.set(timeZone, offset);
  return offset;
}

/** Returns what clocks in a zone show at a moment, both in epoch milliseconds, as if the clocks showed UTC. */
export function wallClock(at: number, timeZone: string): number {
  return at + zoneOffset(timeZone)(at);
}

/** Returns the date of a moment in a zone, as `2026-03-29`. */
export function localDate(at: number, timeZone: string): string {
  return new Date(wallClock(at, timeZone)).toISOString().slice(0, 10);
}

/** Returns the date a number of days later. Dates are written as `2026-03-29`. */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(date) + days * dayMs).toISOString().slice(0, 10);
}

/**
 * Returns when a date begins in a zone, in epoch milliseconds: the first moment after midnight where midnight is
 * skipped.
 */
export function startOfDate(date: string, timeZone: string): number {
  const [naive, offset] = [Date.parse(date), zoneOffset(timeZone)];
  const at = momentOfWallClock(naive, offset);
  if (at + offset(at) === naive) return at;
  // Midnight is skipped: the day begins where the clocks were moved to, within the day around it.
  let [before, after] = [at - dayMs, at + dayMs];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (middle + offset(middle) < naive) before = middle;
    else after = middle;
  }
  return after;
}
