/** Which planned changes a frame wakes for, where they come more often than it may wake in a day. */
import { maxPlannedChanges, type PlannedChange } from './planned-changes.ts';

const dayMs = 86_400_000;
/** The wakes of a day for what is planned, where an owner set no bound: one each half an hour. */
export const defaultWakesPerDay = 48;
/** Changes within this time are one wake, at the last of them (WK-19). */
const joinedMs = 5 * 60_000;
/** A change this much before its time is not left out: a frame wakes some seconds after the one before. */
const tolerancePart = 0.05;

/** The bounds of a frame's wakes, as they stand when it is sent its sleep. */
export interface WakeBounds {
  /** The wakes of a day for all that it wakes for. */
  readonly perDay: number;
  /** The times of its wakes of the last 24 hours, the newest first. */
  readonly wakes: readonly number[];
  /** The list of changes goes on after its last entry: more of them were known than are kept. */
  readonly isCut: boolean;
}

/** Returns the bounds where so many wakes are allowed. */
export function boundsOf(perDay: number, planned: readonly PlannedChange[], wakes: readonly number[]): WakeBounds {
  return { perDay, wakes, isCut: planned.length >= maxPlannedChanges - 1 };
}

/** The planned changes that are left. Times are epoch milliseconds. */
export interface KeptChanges {
  readonly kept: readonly PlannedChange[];
  /** The wakes that the bound leaves for the changes that come most often, and for sleeps that nothing ends. */
  readonly leftPerDay: number;
}

/**
 * Leaves out what a bound of wakes does not allow: whole groups of changes with one reason are kept, the rarest first. Of
 * the group that no longer fits, and of those that come still more often, one is kept each so many minutes.
 * @param planned the changes after `now`, the earliest first
 */
export function withinBudget(planned: readonly PlannedChange[], bounds: WakeBounds, now: number): KeptChanges {
  const inReach = planned.filter(({ at }) => at <= now + dayMs);
  const groups = [...Map.groupBy(inReach, ({ reason }) => JSON.stringify(reason ?? null)).values()]
    .map((changes) => ({ changes, perDay: wakesOf(changes, bounds.isCut, now) }))
    .sort((one, other) => one.perDay - other.perDay);
  let leftPerDay = bounds.perDay;
  const whole: PlannedChange[] = [];
  const rest: PlannedChange[] = [];
  for (const { changes, perDay } of groups) {
    // Once a group does not fit, none that comes more often does.
    const fits = rest.length === 0 && perDay <= leftPerDay;
    (fits ? whole : rest).push(...changes);
    if (fits) leftPerDay -= perDay;
  }
  leftPerDay = Math.max(1, leftPerDay);
  const nextAt = now + (dayMs / leftPerDay) * (1 - tolerancePart);
  const earliest = earliestWake(bounds);
  const kept = [...whole, ...rest.filter(({ at }) => at >= nextAt), ...planned.slice(inReach.length)]
    .filter(({ at }) => at >= earliest)
    .sort((one, other) => one.at - other.at);
  return { kept, leftPerDay };
}

/** The next change, or the last within five minutes of it and before every deadline after it (WK-19). */
export function lastJoined(
  changes: readonly PlannedChange[],
  deadlines: readonly PlannedChange[],
  until: number,
): PlannedChange | undefined {
  const [next] = changes;
  if (next === undefined || next.at > until) return next;
  const limit = deadlines.find(({ at }) => at >= next.at)?.at ?? Infinity;
  return changes.findLast(({ at }) => at <= Math.min(next.at + joinedMs, until, limit)) ?? next;
}

/** The time before which a frame has had all its wakes of a day; 0 where some are left. */
export function earliestWake({ perDay, wakes }: Pick<WakeBounds, 'perDay' | 'wakes'>): number {
  const oldest = wakes[perDay - 1];
  return oldest === undefined ? 0 : oldest + dayMs;
}

/** The wakes in a day that changes of one reason need. */
function wakesOf(changes: readonly PlannedChange[], isCut: boolean, now: number): number {
  let wakes = 0;
  let joinedUntil = -Infinity;
  for (const { at } of changes) {
    if (at <= joinedUntil) continue;
    wakes++;
    joinedUntil = at + joinedMs;
  }
  const last = changes.at(-1)?.at ?? now;
  // Of a list that was cut only its beginning is known.
  return isCut && wakes > 1 ? Math.ceil((wakes * dayMs) / Math.max(joinedMs, last - now)) : wakes;
}
