/** The times that a frame is given which takes no sleep, from what is known of the changes of its picture. */
import { createHash } from 'node:crypto';
import { configPayload, maxCronRules, rotateCron } from '../../../firmware-protocol/plain/rotate-cron.ts';
import { expectedChanges, type PlannedChange, plannedAfter } from '../../frames/planned-changes.ts';
import type { FrameRow } from '../../frames/registry.ts';
import { boundOfWakes, scheduleOf, sleepSecondsAsSet } from '../../frames/tell-sleep.ts';
import { isOpenAt, type OpenTime, openTimes } from '../../frames/update-windows.ts';
import { lastJoined, withinBudget } from '../../frames/wake-budget.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const minuteMs = 60_000;
/** The lengths of sleep under an hour, in minutes: those that an hour is a multiple of. */
const partsOfHour = [30, 20, 15, 12, 10, 6, 5, 4, 3, 2, 1];

/** The columns of a frame's row that determine its times. */
export type TimedColumns = Pick<
  FrameRow,
  'serial' | 'sleep_seconds' | 'update_schedule' | 'planned_changes' | 'planned_deadlines' | 'max_wakes_per_day'
>;

/**
 * Its usual wakes, and those at the changes of its picture that are planned and at its deadlines: none of them outside its
 * update windows, and of changes no more than it may wake for in a day.
 * @returns the value of `X-Config-Payload`
 */
export function timesFor(frame: TimedColumns, now: number): string {
  const schedule = scheduleOf(frame);
  const open = schedule === null ? undefined : openTimes(schedule, now, now + 8 * dayMs);
  const usual = regularWakes(frame, open, now);
  const times = plannedWakes(frame, open, now);
  return configPayload(rotateCron({ usual, each: open === undefined ? 'day' : 'week', times, now }));
}

/** The usual wakes of a day, or of a week where windows may differ from day to day. */
function regularWakes(frame: TimedColumns, open: readonly OpenTime[] | undefined, now: number): readonly number[] {
  const mayWakeAt = (at: number): boolean => open === undefined || isOpenAt(open, at);
  const everySeconds = sleepSecondsAsSet({ ...frame, update_schedule: null }, now);
  const until = now + (open === undefined ? 1 : 7) * dayMs;
  const wakes: number[] = [];
  if (everySeconds < hourMs / 1000) {
    const stepMs = (partsOfHour.find((part) => part * 60 <= everySeconds) ?? 1) * minuteMs;
    for (let at = Math.ceil(now / stepMs) * stepMs; at < until; at += stepMs) if (mayWakeAt(at)) wakes.push(at);
  }
  // Not all frames ask at once.
  const minute = (createHash('sha256').update(frame.serial).digest()[0] ?? 0) % 60;
  for (let at = now + everySeconds * 1000; everySeconds >= hourMs / 1000 && at <= until; at += everySeconds * 1000) {
    at = mayWakeAt(at) ? at : opensAfter(open, at);
    const inHour = Math.floor(at / hourMs) * hourMs + minute * minuteMs;
    if (at <= until) wakes.push(mayWakeAt(inHour) ? inHour : wholeMinute(at));
  }
  if (wakes.length > 0) return wakes;
  return [wholeMinute(now + sleepSecondsAsSet(frame, now) * 1000)];
}

function opensAfter(open: readonly OpenTime[] | undefined, after: number): number {
  return Math.min(...(open ?? []).filter(({ from }) => from > after).map(({ from }) => from));
}

/** The first times at which it wakes for a change or a deadline. */
function plannedWakes(frame: TimedColumns, open: readonly OpenTime[] | undefined, now: number): readonly number[] {
  const mayWakeAt = ({ at }: PlannedChange): boolean => open === undefined || isOpenAt(open, at);
  const knownUntil = plannedAfter(frame, 'planned_changes', now).at(-1)?.at ?? now;
  const deadlines = plannedAfter(frame, 'planned_deadlines', now).filter(mayWakeAt);
  const perDay = boundOfWakes(frame, sleepSecondsAsSet(frame, now));
  const changes: number[] = [];
  for (let from = now; changes.length < maxCronRules; ) {
    const left = expectedChanges(frame, from).filter(mayWakeAt);
    const { kept } = withinBudget(left, { perDay, wakes: changes.toReversed() }, from);
    const next = lastJoined(kept, deadlines, Infinity);
    // Those of a list that goes on are only expected.
    if (next === undefined || next.at > knownUntil) break;
    changes.push(next.at);
    from = next.at;
  }
  // A frame that is five seconds early sleeps again, so that the minute of a change begins at its time or after it.
  const wakes = changes.map(wholeMinute);
  // That of a deadline begins before its time.
  const before = deadlines.map(({ at }) => Math.floor((at - minuteMs / 2) / minuteMs) * minuteMs);
  return [...new Set([...wakes, ...before])].sort((one, other) => one - other);
}

const wholeMinute = (at: number): number => Math.ceil(at / minuteMs) * minuteMs;
