/**
 * The sleep that a frame is sent: it ends just after the next change of its picture, and before the time by which a picture
 * has to be proven, within the bounds that its owner set (WK-11). Pure; `told-sleep.ts` gathers the facts.
 */
import { limits } from '../../firmware-protocol/limits.ts';
import { clampSleepSeconds } from '../../firmware-protocol/sleep.ts';
import type { Reason } from '../../reasons/reason.ts';
import { expectedChanges, momentGiven, type PlannedChange, plannedAfter } from './planned-changes.ts';
import type { FrameRow } from './registry.ts';
import { isOpenAt, type OpenTime, openTimes, sleepBetweenWindows, type UpdateSchedule } from './update-windows.ts';
import { defaultWakesPerDay, earliestWake, lastJoined, withinBudget } from './wake-budget.ts';
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
  /** When it was expected before it woke, epoch milliseconds: its picture was drawn for then. */
  readonly expectedAt?: number | null;
  /** A picture for it is being made. */
  readonly isBeingMade?: boolean | undefined;
  /** This wake is the first that gives the picture, so that a frame which is to prove it soon comes back soon. */
  readonly isHurried: boolean;
  /** The change that was next before this wake, epoch milliseconds, and how often it came back for a picture since. */
  readonly wokeFor?: { readonly at?: number | undefined; readonly tries: number } | undefined;
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
      ? ends({ frame, facts, now, normal }, open)
      : [opening(betweenWindows(schedule, normal, now), facts, now)];
  const first = candidates.reduce((one, other) => (other.wanted < one.wanted ? other : one));
  const sent = toldOf(first, facts);
  const awaitedFor = sent.end === 'awaited' ? sent.at : null;
  const next = awaitedFor ?? plannedAfter(frame, 'planned_changes', now)[0]?.at;
  return next === undefined ? sent : { ...sent, next };
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

/** The update windows of a frame; null without any. */
export function scheduleOf({ update_schedule }: Pick<SleepColumns, 'update_schedule'>): UpdateSchedule | null {
  return update_schedule === null ? null : (JSON.parse(update_schedule) as UpdateSchedule);
}

/** The sleep that nothing ends: the one that was set, unless it would be more wakes in a day than the owner allows. */
function normalSeconds(frame: SleepColumns, facts: SleepFacts, now: number): number {
  const set = clampSleepSeconds(frame.sleep_seconds);
  const perDay = frame.max_wakes_per_day ?? null;
  if (perDay === null) return set;
  const bounds = { perDay, wakes: facts.wakes };
  const { leftPerDay } = withinBudget(expectedChanges(frame, now), bounds, now);
  const hasNoneLeftUntil = earliestWake(bounds);
  const spread = Math.max(set, Math.ceil(longest / leftPerDay), Math.ceil((hasNoneLeftUntil - now) / 1000));
  return Math.min(longest, spread);
}

/** The bound that holds for what is planned: the owner's, or as many as usual and never fewer than the sleep itself asks for. */
export function boundOfWakes({ max_wakes_per_day = null }: SleepColumns, normal: number): number {
  return max_wakes_per_day ?? Math.max(defaultWakesPerDay, Math.ceil(longest / normal));
}

/** The moments of what is planned at which the sleep may end; those outside the windows wait for the next. */
function ends(asked: Asked, open: readonly OpenTime[] | undefined): readonly Candidate[] {
  const { frame, facts, now, normal } = asked;
  const mayWakeAt = ({ at }: PlannedChange): boolean => open === undefined || isOpenAt(open, at);
  const changes = expectedChanges(frame, now).filter(mayWakeAt);
  const deadlines = plannedAfter(frame, 'planned_deadlines', now).filter(mayWakeAt);
  const next = Math.min(...(open ?? []).filter(({ from }) => from > now).map(({ from }) => from));
  return [
    ...(next >= now + normal * 1000 ? [] : [opening((next - now) / 1000, facts, now)]),
    ...soonEnds(asked, open),
    ...changeEnds(asked, changes, deadlines),
    ...deadlines.flatMap((deadline) => deadlineEnd(deadline, changes, facts, now) ?? []).slice(0, 1),
  ];
}

/** A frame comes back soon for a proof, where its owner asked for that, and for a picture that is not there yet, within its bounds. */
function soonEnds({ frame, facts, now, normal }: Asked, open: readonly OpenTime[] | undefined): readonly Candidate[] {
  const { wokeFor, givesNew, isHurried, isBeingMade = false, wakes } = facts;
  const at = now + soonSeconds * 1000;
  const isWithin = at >= earliestWake({ perDay: boundOfWakes(frame, normal), wakes });
  if (!isWithin || (open !== undefined && !isOpenAt(open, at))) return [];
  const soon = { wanted: soonSeconds, isPlain: true } as const;
  if (isHurried && frame.prove_soon === 1) return [{ ...soon, end: 'proof', at: null }];
  if (givesNew) return [];
  const { at: change = Infinity, tries = 0 } = wokeFor ?? {};
  const isRecent = change <= now && now - change <= awaited.ms;
  if (tries >= awaited.tries || !(isRecent || isBeingMade)) return [];
  return [{ ...soon, end: 'awaited', at: isRecent ? change : null, tries: tries + 1 }];
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

/** The ends of a sleep by its length and at the next change; with one that is further away, where it is best cut in two. */
function changeEnds(
  { frame, facts, now, normal }: Asked,
  changes: readonly PlannedChange[],
  deadlines: readonly PlannedChange[],
): readonly Candidate[] {
  const givenFor = momentGiven(frame, facts, now);
  const coming = changes.filter(({ at, mayShowEarly }) => mayShowEarly !== true || at > givenFor);
  const bounds = { perDay: boundOfWakes(frame, normal), wakes: facts.wakes };
  const { kept, leftOut } = withinBudget(coming, bounds, now);
  const next = lastJoined(kept, deadlines, now + normal * 1000);
  const before = (until: number) => ({ leftOut: leftOut.filter(({ at }) => at < until).length });
  const whole = { wanted: normal, end: 'longest', at: null, isPlain: true, ...before(now + normal * 1000) } as const;
  if (next === undefined) return [whole];
  const seconds = (next.at - now) / 1000;
  const about = { at: next.at, ...(next.reason && { reason: next.reason }), ...before(next.at) };
  const guard = guardOf(facts, seconds) + (next === kept[0] ? 0 : joinedSeconds);
  if (seconds <= normal) return [whole, { wanted: seconds + guard, end: 'change', ...about }];
  const half = Math.ceil(seconds / 2);
  // WK-16: the way is halved, so that its last part is long enough, and short enough for a clock that drifts.
  const mayWake = leftOut.length === 0 && now + half * 1000 >= earliestWake(bounds);
  if (seconds >= 2 * normal || half < leastLegSeconds || !mayWake) return [whole];
  return [whole, { wanted: half, end: 'half-way', isPlain: true, ...about }];
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

function toldOf({ wanted, isPlain, leftOut = 0, ...end }: Candidate, { model, awakeSeconds }: SleepFacts): ToldSleep {
  const exact = isPlain ? wanted : sleepFor(model, wanted, awakeSeconds);
  // WK-12: a change is not shown before its time, and a deadline is not passed.
  const whole = end.end === 'deadline' ? Math.floor(exact) : Math.ceil(exact);
  return { seconds: Math.min(longest, Math.max(shortest, whole)), ...end, ...(leftOut > 0 && { leftOut }) };
}
