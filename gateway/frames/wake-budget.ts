/** Which planned changes a frame wakes for, where they come more often than it may wake in a day. */
import type { PlannedChange } from './planned-changes.ts';

const dayMs = 86_400_000;
/** The wakes of a day for what is planned, where an owner set no bound: one each half an hour. */
export const defaultWakesPerDay = 48;
/** Changes within this time are one wake, at the last of them (WK-19). */
const joinedMs = 5 * 60_000;
/** The part of a step that lies between two wakes at least: one that comes early takes no second one of the next step. */
const leastPart = 0.75;

const none: ReadonlySet<PlannedChange> = new Set();

/** The bounds of a frame's wakes, as they stand when it is sent its sleep. */
export interface WakeBounds {
  /** The wakes of a day for all that it wakes for. */
  readonly perDay: number;
  /** The times of its wakes of the last 24 hours, the newest first. */
  readonly wakes: readonly number[];
}

/** The planned changes that are left. Times are epoch milliseconds. */
export interface KeptChanges {
  readonly kept: readonly PlannedChange[];
  readonly leftOut: readonly PlannedChange[];
  /** The wakes that the bound leaves for the changes that come most often, and for sleeps that nothing ends; 0 for none. */
  readonly leftPerDay: number;
}

/**
 * Leaves out what a bound of wakes does not allow. Where not all changes fit, those whose reason comes seldom are kept, the
 * rarest first and up to half of the wakes; of the others, one in each of as many even steps of the day as wakes are left.
 * @param planned the changes after `now`, the earliest first, as they are expected for a day
 */
export function withinBudget(planned: readonly PlannedChange[], bounds: WakeBounds, now: number): KeptChanges {
  const inReach = planned.filter(({ at }) => at <= now + dayMs);
  const left = bounds.perDay - wakesOf(inReach);
  const { often, leftPerDay } = left < 0 ? oftenOf(inReach, bounds.perDay) : { often: none, leftPerDay: left };
  const stepMs = dayMs / leftPerDay;
  const nextAt = Math.max(now + leastPart * stepMs, (Math.floor(now / stepMs) + 1) * stepMs);
  const earliest = earliestWake(bounds);
  const isKept = (change: PlannedChange): boolean =>
    change.at >= earliest && (change.at >= nextAt || !often.has(change));
  const leftOut = planned.filter((change) => !isKept(change));
  return { kept: planned.filter(isKept), leftOut, leftPerDay };
}

/** The changes that come too often to be kept, and the wakes that are left for them. */
function oftenOf(changes: readonly PlannedChange[], perDay: number) {
  const ofReasons = [...Map.groupBy(changes, ({ reason }) => JSON.stringify(reason ?? null)).values()];
  // Reasons that come equally often are kept together or not at all: none of them is rarer.
  const groups = [...Map.groupBy(ofReasons, wakesOf)].sort(([one], [other]) => one - other);
  const often = new Set<PlannedChange>();
  let leftPerDay = perDay;
  for (const [, alike] of groups) {
    const group = alike.flat().sort((one, other) => one.at - other.at);
    const left = leftPerDay - wakesOf(group);
    if (often.size === 0 && left >= perDay / 2) leftPerDay = left;
    else for (const change of group) often.add(change);
  }
  return { often, leftPerDay };
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
export function earliestWake({ perDay, wakes }: WakeBounds): number {
  const oldest = wakes[perDay - 1];
  return oldest === undefined ? 0 : oldest + dayMs;
}

/** The wakes that changes need. */
function wakesOf(changes: readonly PlannedChange[]): number {
  let wakes = 0;
  let joinedUntil = -Infinity;
  for (const { at } of changes) {
    if (at <= joinedUntil) continue;
    wakes++;
    joinedUntil = at + joinedMs;
  }
  return wakes;
}
