/**
 * The sleep that a frame is sent: it ends just after the next change of its picture, and before the time by which a picture
 * has to be proven, within the bounds that its owner set (WK-11). Pure; `told-sleep.ts` gathers the facts.
 */
import { limits } from '../../firmware-protocol/limits.ts';
import { clampSleepSeconds } from '../../firmware-protocol/sleep.ts';
import type { Reason } from '../../reasons/reason.ts';
import { earlyChangeMs, maxPlannedChanges, type PlannedChange, plannedAfter } from './planned-changes.ts';
import type { FrameRow } from './registry.ts';
import { isOpenAt, openTimes, sleepBetweenWindows, type UpdateSchedule } from './update-windows.ts';
import { defaultWakesPerDay, earliestWake, joinedMs, withinBudget } from './wake-budget.ts';
import { sleepFor, unknownModel, type WakeModel } from './wake-model.ts';

/** The columns of a frame's row that determine its sleep. */
export type SleepColumns = Pick<FrameRow, 'sleep_seconds' | 'update_schedule'> &
  Partial<Pick<FrameRow, 'prove_soon' | 'planned_changes' | 'planned_deadlines' | 'max_wakes_per_day'>>;

/** The facts about a frame and this wake besides its row. */
export interface SleepFacts {
  readonly model: WakeModel;
  /** Seconds from now until it sleeps, as they are reckoned for its kind. */
  readonly awakeSeconds: number;
  /** The times of its wakes of the last 24 hours, the newest first, this one among them. */
  readonly wakes: readonly number[];
  /** It is given a picture at this wake that is not proven yet. */
  readonly givesNew: boolean;
  /** This wake is the first that gives the picture, so that a frame which is to prove it soon comes back soon. */
  readonly isHurried: boolean;
  /** The change that was next before this wake, epoch milliseconds, and how often it came back for it since. */
  readonly wokeFor?: { readonly at: number; readonly tries: number } | undefined;
}

/** The facts about a frame of which nothing is known. */
export const noSleepFacts: SleepFacts = {
  model: unknownModel,
  awakeSeconds: 0,
  wakes: [],
  givesNew: false,
  isHurried: false,
};

/** The end of a sleep: a picture that is still being made, a change, a deadline, the opening of a window, a proof, half of the way to a change, or its length. */
export const sleepEnds = ['awaited', 'change', 'deadline', 'window', 'proof', 'half-way', 'longest'] as const;
export type SleepEnd = (typeof sleepEnds)[number];

/** A sleep as it is sent. */
export interface ToldSleep {
  /** Within the wire's limits. */
  readonly seconds: number;
  readonly end: SleepEnd;
  /** The moment for which the frame wakes, epoch milliseconds; null where nothing is planned. */
  readonly at: number | null;
  /** Why the picture changes then. */
  readonly reason?: Reason;
  /** The changes before that one for which it does not wake, because it wakes often enough. */
  readonly leftOut?: number;
  /** How often it came back for the picture of the change before. */
  readonly tries?: number;
  /** The next change as it was planned, whatever ends the sleep; left out where none was. */
  readonly next?: number;
}

const { shortest, longest } = limits.sleepSeconds;
/** The sleep after a new picture of a frame that is to prove it soon, in seconds: with the wake itself within two minutes. */
const soonSeconds = 90;
/** The picture of a change is waited for so long, and so often (WK-17). */
const awaited = { ms: 6 * 60_000, tries: 2 } as const;
/** The time after a change at which a frame wakes, in seconds: with a learned model, or else a part of its sleep. */
const guards = { learned: 5, least: 10, part: 0.004 };
/** Seconds that changes which share a wake are given more: only the first of their pictures would be missed (WK-17). */
const joinedSeconds = 30;
/** No part of a way that is slept in two is shorter, in seconds (WK-16). */
const leastLegSeconds = 15 * 60;

/** A moment at which a sleep may end, and the sleep that ends then. */
interface Candidate extends Omit<ToldSleep, 'seconds'> {
  /** Seconds from now, as the frame is to wake. */
  readonly wanted: number;
  /** The sleep is sent as it is, without the correction that was learned. */
  readonly isPlain?: boolean;
}

/**
 * Returns the sleep to tell a frame at `now`, epoch milliseconds. Where nothing is planned it is the one that its owner
 * set, as it is.
 */
export function tellSleep(frame: SleepColumns, facts: SleepFacts, now: number): ToldSleep {
  const schedule = scheduleOf(frame);
  const normal = normalSeconds(frame, facts, now);
  // No sleep reaches further than twice the longest (WK-16).
  const open = schedule === null ? undefined : openTimes(schedule, now, now + 2 * longest * 1000);
  const candidates =
    open === undefined || isOpenAt(open, now)
      ? [
          { wanted: normal, end: 'longest', at: null, isPlain: true } as const,
          ...ends({ frame, facts, now, normal }, open),
        ]
      : [opening(betweenWindows(schedule, normal, now), facts, now)];
  const first = candidates.reduce((one, other) => (other.wanted < one.wanted ? other : one));
  const told = toldOf(first, facts);
  const hurries = facts.isHurried && frame.prove_soon === 1 && told.seconds > soonSeconds;
  const sent: ToldSleep = hurries ? { seconds: soonSeconds, end: 'proof', at: null } : told;
  const next = sent.end === 'awaited' ? sent.at : plannedAfter(frame, 'planned_changes', now)[0]?.at;
  return next == null ? sent : { ...sent, next };
}

/**
 * The sleep that nothing planned ends, in seconds within the wire's limits: the one that was set, or a longer one where the
 * owner bounds the wakes of a day, or the time until the next update window (C-59). `tellSleep` may end one sooner.
 * @param wokeAt its last wake, epoch milliseconds
 */
export function sleepSecondsAsSet(frame: SleepColumns, wokeAt: number): number {
  const normal = normalSeconds({ ...frame, planned_changes: null }, noSleepFacts, wokeAt);
  return clampSleepSeconds(betweenWindows(scheduleOf(frame), normal, wokeAt));
}

function betweenWindows(schedule: UpdateSchedule | null, normal: number, now: number): number {
  return schedule === null ? normal : Math.max(shortest, sleepBetweenWindows(schedule, normal, now));
}

function scheduleOf({ update_schedule }: SleepColumns): UpdateSchedule | null {
  return update_schedule === null ? null : (JSON.parse(update_schedule) as UpdateSchedule);
}

/** The sleep that nothing ends: the one that was set, unless it would be more wakes in a day than the owner allows. */
function normalSeconds(frame: SleepColumns, facts: SleepFacts, now: number): number {
  const set = clampSleepSeconds(frame.sleep_seconds);
  const perDay = frame.max_wakes_per_day ?? null;
  if (perDay === null) return set;
  const planned = plannedAfter(frame, 'planned_changes', now);
  const { leftPerDay } = withinBudget(planned, boundsOf(perDay, planned, facts), now);
  const hasNoneLeftUntil = earliestWake({ perDay, wakes: facts.wakes });
  const spread = Math.max(set, Math.ceil(longest / leftPerDay), Math.ceil((hasNoneLeftUntil - now) / 1000));
  return Math.min(longest, spread);
}

function boundsOf(perDay: number, planned: readonly PlannedChange[], { wakes }: SleepFacts) {
  return { perDay, wakes, isCut: planned.length >= maxPlannedChanges - 1 };
}

/** The bound that holds for what is planned: the owner's, or as many as usual and never fewer than the sleep itself asks for. */
function boundOf({ max_wakes_per_day = null }: SleepColumns, normal: number): number {
  return max_wakes_per_day ?? Math.max(defaultWakesPerDay, Math.ceil(longest / normal));
}

/** The moments of what is planned at which the sleep may end; those outside the windows wait for the next. */
function ends(asked: Asked, open: ReturnType<typeof openTimes> | undefined): readonly Candidate[] {
  const { frame, facts, now, normal } = asked;
  const mayWakeAt = ({ at }: PlannedChange): boolean => open === undefined || isOpenAt(open, at);
  const changes = plannedAfter(frame, 'planned_changes', now).filter(mayWakeAt);
  const deadlines = plannedAfter(frame, 'planned_deadlines', now).filter(mayWakeAt);
  const next = Math.min(...(open ?? []).filter(({ from }) => from > now).map(({ from }) => from));
  return [
    ...(next >= now + normal * 1000 ? [] : [opening((next - now) / 1000, facts, now)]),
    ...awaitedEnd(asked),
    ...changeEnds(asked, changes, deadlines),
    ...deadlines.flatMap((deadline) => deadlineEnd(deadline, changes, facts, now) ?? []).slice(0, 1),
  ];
}

/** A frame that wakes just after a change whose picture is not there yet comes back for it soon. */
function awaitedEnd({ frame, facts, now, normal }: Asked): readonly Candidate[] {
  const { wokeFor, givesNew, wakes } = facts;
  if (givesNew || wokeFor === undefined || wokeFor.tries >= awaited.tries) return [];
  const isRecent = wokeFor.at <= now && now - wokeFor.at <= awaited.ms;
  const mayWake = now + soonSeconds * 1000 >= earliestWake({ perDay: boundOf(frame, normal), wakes });
  if (!isRecent || !mayWake) return [];
  return [{ wanted: soonSeconds, end: 'awaited', at: wokeFor.at, tries: wokeFor.tries + 1, isPlain: true }];
}

function opening(seconds: number, { model }: SleepFacts, now: number): Candidate {
  const at = now + Math.ceil(seconds) * 1000;
  // Nothing opens within a day where the sleep is the longest of all.
  if (seconds >= longest) return { wanted: longest, end: 'longest', at: null, isPlain: true };
  const guard = model.isLearned ? guards.learned : 0;
  return { wanted: seconds + guard, end: 'window', at, isPlain: !model.isLearned };
}

interface Asked {
  readonly frame: SleepColumns;
  readonly facts: SleepFacts;
  readonly now: number;
  readonly normal: number;
}

/** The end of a sleep at the next change; with one that is further away, where the sleep is best cut in two. */
function changeEnds(
  { frame, facts, now, normal }: Asked,
  changes: readonly PlannedChange[],
  deadlines: readonly PlannedChange[],
): readonly Candidate[] {
  const coming = changes.filter(
    ({ at, mayShowEarly }) => !(facts.givesNew && mayShowEarly && at <= now + earlyChangeMs),
  );
  const bounds = boundsOf(boundOf(frame, normal), changes, facts);
  const { kept } = withinBudget(coming, bounds, now);
  const next = joined(kept, deadlines, now + normal * 1000);
  if (next === undefined) return [];
  const seconds = (next.at - now) / 1000;
  const leftOut = coming.filter(({ at }) => at < next.at).length - kept.filter(({ at }) => at < next.at).length;
  const about = { at: next.at, ...(next.reason && { reason: next.reason }), ...(leftOut > 0 && { leftOut }) };
  const guard = guardOf(facts, seconds) + (next === kept[0] ? 0 : joinedSeconds);
  if (seconds <= normal) return [{ wanted: seconds + guard, end: 'change', ...about }];
  const half = Math.ceil(seconds / 2);
  // WK-16: the way is halved, so that its last part is long enough, and short enough for a clock that drifts.
  const mayWake = now + half * 1000 >= earliestWake(bounds);
  if (seconds >= 2 * normal || half < leastLegSeconds || !mayWake) return [];
  return [{ wanted: half, end: 'half-way', isPlain: true, ...about }];
}

/** The next change, or the last within five minutes of it and before every deadline after it (WK-19). */
function joined(
  changes: readonly PlannedChange[],
  deadlines: readonly PlannedChange[],
  until: number,
): PlannedChange | undefined {
  const [next] = changes;
  if (next === undefined || next.at > until) return next;
  const limit = deadlines.find(({ at }) => at >= next.at)?.at ?? Infinity;
  return changes.findLast(({ at }) => at <= Math.min(next.at + joinedMs, until, limit)) ?? next;
}

function guardOf({ model }: SleepFacts, seconds: number): number {
  return model.isLearned ? guards.learned : Math.max(guards.least, guards.part * seconds);
}

/**
 * The end of a sleep before the latest time at which a wake may begin for a deadline: a frame whose next wake alone proves
 * a picture has two of them (DL-22). A change between that end and that time is what it wakes for.
 */
function deadlineEnd(
  { at, reason }: PlannedChange,
  changes: readonly PlannedChange[],
  facts: SleepFacts,
  now: number,
): Candidate | undefined {
  const guard = guardOf(facts, (at - now) / 1000);
  const wanted = (at - now) / 1000 - guard;
  if (Math.floor(sleepFor(facts.model, wanted, facts.awakeSeconds)) < shortest) return undefined;
  if (changes.some((change) => change.at <= at && change.at > now + (wanted - guard) * 1000)) return undefined;
  return { wanted, end: 'deadline', at, ...(reason && { reason }) };
}

function toldOf({ wanted, isPlain, ...end }: Candidate, { model, awakeSeconds }: SleepFacts): ToldSleep {
  const exact = isPlain ? wanted : sleepFor(model, wanted, awakeSeconds);
  // WK-12: a change is not shown before its time, and a deadline is not passed.
  const whole = end.end === 'deadline' ? Math.floor(exact) : Math.ceil(exact);
  return { seconds: Math.min(longest, Math.max(shortest, whole)), ...end };
}
