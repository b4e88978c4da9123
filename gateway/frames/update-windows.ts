/**
 * When people want a frame to wake: windows that come again by the calendar of a time zone. Pure, and asked at every
 * wake: a window is a rule about days, which is followed only within reach of the longest sleep.
 */
import { limits } from '../../firmware-protocol/limits.ts';
import { zoneOffset } from '../../runtime/local-time.ts';
import type { Rule } from '../../runtime/recurrence/read-rule.ts';
import { Budget, dayMs, namedTimes } from '../../runtime/recurrence/recurrence.ts';
import { momentOfWallClock } from '../../runtime/wall-clock.ts';

/** Weekdays count from Monday, 1. `nth` selects one of a month's, from its end when negative; 0 is each. */
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
  /** Which days of those. With no weekdays and no days of the month it is as on the first day. */
  readonly weekdays: readonly WindowWeekday[];
  /** From the month's end when negative. */
  readonly monthDays: readonly number[];
}

/** When a window opens, for how long left out. */
export type Recurrence = Omit<UpdateWindow, 'durationMinutes'>;

export type UpdateSchedule = readonly UpdateWindow[];

/** More than a month of waking is not a window. */
export const maxWindowMinutes = 31 * 24 * 60;

/** The number of a day such as `2026-03-29`, 1970 or later. */
export function dayOf(date: string): number {
  return Date.parse(date) / dayMs;
}

const frequencies = { day: 'DAILY', week: 'WEEKLY', month: 'MONTHLY' } as const;

/** The rule of a window, as rules of calendars are followed. */
function ruleOf({ every, interval, weekStart, weekdays, monthDays }: Recurrence): Rule {
  return {
    freq: frequencies[every],
    interval,
    count: undefined,
    until: undefined,
    weekStart: weekStart - 1,
    days: weekdays.map(({ weekday, nth }) => ({ weekday: weekday - 1, nth })),
    by: { BYMONTHDAY: monthDays },
  };
}

/** The days on which a window opens, from a day on and before another. */
export function* openingDays(window: Recurrence, from: number, to: number): Generator<number> {
  const start = window.firstDay * dayMs;
  const end = Math.min(to, (window.lastDay ?? Infinity) + 1);
  // The caller decides how far, which bounds the work.
  const days = namedTimes(ruleOf(window), start, { from: from * dayMs, to: end * dayMs }, new Budget(Infinity));
  for (const day of days) yield day / dayMs;
}

/**
 * Returns the sleep of a frame that wakes now, in seconds, before it is brought within the wire's limits.
 * @param normalSeconds the sleep that was set, which holds within a window
 */
export function sleepBetweenWindows(schedule: UpdateSchedule, normalSeconds: number, now: number): number {
  let next = now + limits.sleepSeconds.longest * 1000;
  for (const window of schedule) {
    const lastsMs = window.durationMinutes * 60_000;
    const { opened, opensNext } = openingsAround(window, now, { from: now - lastsMs, to: next });
    if (opened !== undefined && now < opened + lastsMs) return normalSeconds;
    if (opensNext !== undefined && opensNext < next) next = opensNext;
  }
  return Math.ceil((next - now) / 1000);
}

/** A time in which a window is open, epoch milliseconds. */
export interface OpenTime {
  readonly from: number;
  readonly to: number;
}

/** Lists the times at which windows are open between two moments, in the order of the windows. They may overlap. */
export function openTimes(schedule: UpdateSchedule, from: number, to: number): readonly OpenTime[] {
  return schedule.flatMap((window) => {
    const offset = zoneOffset(window.timeZone);
    const lastsMs = window.durationMinutes * 60_000;
    const dayAt = (at: number): number => Math.floor((at + offset(at)) / dayMs);
    return [...openingDays(window, dayAt(from - lastsMs), dayAt(to) + 1)]
      .map((day) => momentOfWallClock(day * dayMs + window.startMinutes * 60_000, offset))
      .filter((at) => at + lastsMs > from && at <= to)
      .map((at) => ({ from: at, to: at + lastsMs }));
  });
}

/** Whether one of some open times holds a moment. */
export function isOpenAt(times: readonly OpenTime[], at: number): boolean {
  return times.some(({ from, to }) => at >= from && at < to);
}

/** When a window opened last up to a moment and opens first after it, of the days that reach from one moment to another. */
function openingsAround(
  window: UpdateWindow,
  now: number,
  { from, to }: { from: number; to: number },
): { opened?: number; opensNext?: number } {
  const offset = zoneOffset(window.timeZone);
  const dayAt = (at: number): number => Math.floor((at + offset(at)) / dayMs);
  const around: { opened?: number; opensNext?: number } = {};
  for (const day of openingDays(window, dayAt(from), dayAt(to) + 1)) {
    const at = momentOfWallClock(day * dayMs + window.startMinutes * 60_000, offset);
    if (at > now) {
      around.opensNext = at;
      break;
    }
    around.opened = at;
  }
  return around;
}
