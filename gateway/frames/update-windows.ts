/**
 * When people want a frame to wake: windows that come again by the calendar of a time zone (C-59). Pure, and asked at
 * every wake: a window is a rule about days, of which only those within reach of the longest sleep are looked at.
 */
import { limits } from '../../firmware-protocol/limits.ts';
import { localDate, momentOf } from '../runtime/local-time.ts';

/** Weekdays count from Monday, 1. `nth` says which of a month's, from its end when negative; 0 is each. */
export interface WindowWeekday {
  readonly weekday: number;
  readonly nth: number;
}

/** A window. Days are whole days since 1970-01-01. */
export interface UpdateWindow {
  readonly timeZone: string;
  readonly firstDay: number;
  /** Null when it never ends. */
  readonly lastDay: number | null;
  /** By the clocks of the zone, from midnight. */
  readonly startMinutes: number;
  readonly durationMinutes: number;
  readonly every: 'day' | 'week' | 'month';
  /** Each so many days, weeks or months from that of the first day. */
  readonly interval: number;
  /** With which day a week begins, for intervals of weeks. */
  readonly weekStart: number;
  /** Which days of those; any when empty. */
  readonly weekdays: readonly WindowWeekday[];
  /** From the month's end when negative; any when empty. */
  readonly monthDays: readonly number[];
}

export type UpdateSchedule = readonly UpdateWindow[];

/** More than a month of waking is no window. */
export const longestWindowMinutes = 31 * 24 * 60;

/** The number of a day such as `2026-03-29`, 1970 or later. */
export function dayNumber(date: string): number {
  return Date.parse(date) / 86_400_000;
}

/** Monday is 1. */
export function weekdayOf(day: number): number {
  return ((day + 3) % 7) + 1;
}

/** Whether a window opens on a day. */
export function opensOn(window: UpdateWindow, day: number): boolean {
  const { firstDay, lastDay, every, interval, weekStart, weekdays, monthDays } = window;
  if (day < firstDay || (lastDay !== null && day > lastDay)) return false;
  const date = new Date(day * 86_400_000);
  const [month, dayOfMonth] = [date.getUTCMonth(), date.getUTCDate()];
  if (every === 'day' && (day - firstDay) % interval !== 0) return false;
  // 1970-01-05 was a Monday: so weeks begin with the day that they should.
  if (every === 'week') {
    const week = (of: number): number => Math.floor((of - 3 - weekStart) / 7);
    if ((week(day) - week(firstDay)) % interval !== 0) return false;
  }
  if (every === 'month') {
    const first = new Date(firstDay * 86_400_000);
    const months = (date.getUTCFullYear() - first.getUTCFullYear()) * 12 + month - first.getUTCMonth();
    if (months % interval !== 0) return false;
  }
  const toEnd = new Date(Date.UTC(date.getUTCFullYear(), month + 1, 0)).getUTCDate() - dayOfMonth;
  const isNth = (nth: number): boolean =>
    nth === 0 || nth === Math.floor((dayOfMonth - 1) / 7) + 1 || nth === -Math.floor(toEnd / 7) - 1;
  const today = weekdayOf(day);
  return (
    (weekdays.length === 0 || weekdays.some(({ weekday, nth }) => weekday === today && isNth(nth))) &&
    (monthDays.length === 0 || monthDays.includes(dayOfMonth) || monthDays.includes(-toEnd - 1))
  );
}

/**
 * What a frame that wakes now is to sleep, seconds, before it is brought within the wire's limits.
 * @param normalSeconds the sleep that was set, which holds within a window
 */
export function sleepBetweenWindows(schedule: UpdateSchedule, normalSeconds: number, now: number): number {
  const furthest = now + limits.sleepSeconds.longest * 1000;
  let next = furthest;
  for (const window of schedule) {
    const durationMs = window.durationMinutes * 60_000;
    const last = dayNumber(localDate(furthest, window.timeZone));
    for (let day = dayNumber(localDate(now - durationMs, window.timeZone)); day <= last; day++) {
      if (!opensOn(window, day)) continue;
      const date = new Date(day * 86_400_000).toISOString().slice(0, 10);
      const opensAt = momentOf(date, window.startMinutes, window.timeZone);
      if (opensAt > now) next = Math.min(next, opensAt);
      else if (now < opensAt + durationMs) return normalSeconds;
    }
  }
  return Math.ceil((next - now) / 1000);
}
