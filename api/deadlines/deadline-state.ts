/** Decides how a deadline stands on one frame: a pure function of what is known at a moment. */
import { type Grade, grades } from '../../gateway/frames/grades.ts';

/** The states of one picture on one frame by one time (DL-10 to DL-15). */
export const deadlineStates = [
  'planned',
  'at-risk',
  'unavoidable',
  'met',
  'shown-unproven',
  'missed',
  'met-late',
] as const;
export type DeadlineState = (typeof deadlineStates)[number];

/** Why a deadline is at risk or cannot be kept. */
export const deadlineCauses = [
  'not-shown',
  'no-frame',
  'flat',
  'grade-never',
  'asleep',
  'came-late',
  'not-woken',
  'not-reported',
  'never-came',
  'too-late',
  'other-paper',
  'not-made',
  'making',
  'identity',
  'failing',
  'silent',
  'battery',
  'late',
  'tight',
] as const;
export type DeadlineCause = (typeof deadlineCauses)[number];

/** The grades that can be asked for. */
export const askedGrades = ['processed', 'reported', 'named'] as const satisfies readonly Grade[];
export type AskedGrade = (typeof askedGrades)[number];

/** The outlook of a frame. Times are epoch milliseconds. */
export interface FrameOutlook {
  /** Its next wake; null, or a moment that has passed, for a frame that is awake, or is late and may come at any moment. */
  readonly wakesAt: number | null;
  /** The last time that it spoke; null for never. */
  readonly lastContactAt: number | null;
  /** Until when it takes the wanted picture, which was announced to it at its present wake; null where it was not. */
  readonly takesUntil: number | null;
  /** How much later than expected its last wakes were. */
  readonly latenessMs: number;
  readonly drawMs: number;
  /** True where only the wake after the one that fetched a picture proves it (DL-22). */
  readonly provesLater: boolean;
  /** The shortest sleep between two wakes: the shortest that it takes from the service, or its own where it takes none. */
  readonly shortestSleepMs: number;
  /** The best grade that it ever proves. */
  readonly bestGrade: Grade;
  /** The trouble that it is in; `flat` when its battery is known to be empty. */
  readonly trouble: 'flat' | 'identity' | 'failing' | 'silent' | 'battery' | null;
}

/** The facts about one picture on one frame by one time. Times are epoch milliseconds. */
export interface DeadlineFacts {
  readonly by: number;
  readonly asked: AskedGrade;
  /** The first proof of the wanted picture with the asked grade; null without one. */
  readonly proofAt: number | null;
  /** When the frame had taken the wanted picture whole. */
  readonly fetchedAt: number | null;
  /** How far the wanted picture is; `not-shown` where no device at all is to show it. */
  readonly picture: 'ready' | 'making' | 'not-made' | 'other-paper' | 'not-shown';
  /** Since when that very picture is wanted. */
  readonly wantedSince: number;
  /** When it may be given out at the earliest; null for at once. */
  readonly from: number | null;
  /** From when on a proof settles it: what was proven on the day before is planned for a day that has not begun. */
  readonly settlesAt: number;
  /** Null where no frame is bound to the device. */
  readonly frame: FrameOutlook | null;
}

/** How a deadline stands. */
export interface JudgedDeadline {
  readonly state: DeadlineState;
  /** Null for a state that needs none. */
  readonly cause: DeadlineCause | null;
  /** The first moment at which the state may be another while nothing else changes; Infinity for never. */
  readonly until: number;
}

/** The time that remains before `by` besides drawing when all is well: one wake may be late by this much. */
export const deadlineGuardMs = 60_000;

/** A picture that has been wanted for no longer than this is being made as usual, which is not a risk yet. */
const makingMs = 2 * 60_000;

const rank = (grade: Grade): number => grades.indexOf(grade);

/** Whether a proof of one grade is as good as what was asked for. */
export const isAsked = (grade: Grade, asked: AskedGrade): boolean => rank(grade) >= rank(asked);

/** Why no proof can come, whatever happens; undefined where one may. */
function hopeless({ frame, asked, picture }: DeadlineFacts): DeadlineCause | undefined {
  if (picture === 'not-shown') return picture;
  if (frame === null) return 'no-frame';
  if (!isAsked(frame.bestGrade, asked)) return 'grade-never';
  return frame.trouble === 'flat' ? 'flat' : undefined;
}

/** The first moment from `now` on at which a frame may ask and be given the wanted picture. */
function nextContact({ from, frame }: DeadlineFacts & { readonly frame: FrameOutlook }, now: number): number {
  const next = Math.max(frame.wakesAt ?? now, now);
  if (from === null || next >= from) return next;
  // The frame is sent back to sleep until the picture may be given out; one that is awake may wait for it.
  return frame.wakesAt === null || frame.wakesAt <= now ? from : Math.max(from, next + frame.shortestSleepMs);
}

/**
 * The earliest moment at which a proof can still come, by what is known; Infinity when none can.
 * @param now not later than `by`
 */
export function earliestProof(facts: DeadlineFacts, now: number): number {
  const { frame, fetchedAt } = facts;
  if (frame === null || hopeless(facts) !== undefined) return Infinity;
  const { wakesAt, takesUntil, drawMs, provesLater, shortestSleepMs } = frame;
  const sleeps = wakesAt !== null && wakesAt > now;
  const takes = takesUntil !== null && now <= takesUntil;
  if (fetchedAt !== null) {
    const drawn = Math.max(now, fetchedAt + drawMs);
    if (provesLater) {
      // A frame that is late for its wake may come at any moment.
      const isTold = wakesAt !== null && wakesAt > fetchedAt;
      return Math.max(now, isTold ? wakesAt : fetchedAt + drawMs + shortestSleepMs);
    }
    return sleeps && !takes ? wakesAt : drawn;
  }
  if (takes) {
    if (!provesLater) return now + drawMs;
    return sleeps ? Math.max(wakesAt, now + drawMs) : now + drawMs + shortestSleepMs;
  }
  const contact = nextContact({ ...facts, frame }, now);
  return contact + drawMs + (provesLater ? shortestSleepMs : 0);
}

/** Names why the earliest proof comes too late. */
function whyUnavoidable(facts: DeadlineFacts, now: number): DeadlineCause {
  const never = hopeless(facts);
  if (never !== undefined || facts.frame === null) return never ?? 'no-frame';
  const { frame, fetchedAt, wantedSince, from } = facts;
  if (frame.wakesAt !== null && frame.wakesAt > now) {
    const cameLate = fetchedAt === null && wantedSince > (frame.lastContactAt ?? 0);
    if (!cameLate) return 'asleep';
    return 'came-late';
  }
  if (fetchedAt !== null) return 'not-reported';
  if (from !== null && from > now) return 'too-late';
  if (frame.wakesAt === null && frame.lastContactAt === null) return 'never-came';
  return frame.wakesAt !== null && (frame.lastContactAt ?? 0) < frame.wakesAt ? 'not-woken' : 'too-late';
}

/** Whether the cause of an unavoidable miss was known when the frame was last told to sleep (DL-24). */
export const isForeseeable = (cause: DeadlineCause): boolean =>
  ['asleep', 'not-shown', 'no-frame', 'flat', 'grade-never', 'never-came'].includes(cause);

/** Finds the risk of a deadline that can still be kept; undefined where nothing does. */
function risk(facts: DeadlineFacts, now: number): DeadlineCause | undefined {
  const { frame, picture, fetchedAt } = facts;
  const isBegun = picture === 'making' && now <= facts.wantedSince + makingMs;
  if (fetchedAt === null && picture !== 'ready' && !isBegun) return picture;
  if (frame?.trouble) return frame.trouble;
  return isOverdue(facts, now) ? 'late' : undefined;
}

/** Whether the frame has not come although it was expected, with the lateness that it usually has. */
function isOverdue({ frame }: DeadlineFacts, now: number): boolean {
  if (frame === null || frame.wakesAt === null) return false;
  const cameBack = (frame.lastContactAt ?? 0) >= frame.wakesAt;
  return !cameBack && now > frame.wakesAt + frame.latenessMs + deadlineGuardMs;
}

/** Judges a deadline at a moment. */
export function judgeDeadline(facts: DeadlineFacts, now: number): JudgedDeadline {
  const { by, proofAt, fetchedAt } = facts;
  if (proofAt !== null && proofAt <= by) {
    const isSettled = now >= facts.settlesAt;
    return { state: isSettled ? 'met' : 'planned', cause: null, until: isSettled ? Infinity : facts.settlesAt };
  }
  if (now > by) {
    if (proofAt !== null) return { state: 'met-late', cause: null, until: Infinity };
    const isFetched = fetchedAt !== null && fetchedAt <= by;
    return { state: isFetched ? 'shown-unproven' : 'missed', cause: null, until: Infinity };
  }
  const earliest = earliestProof(facts, now);
  if (earliest > by) return { state: 'unavoidable', cause: whyUnavoidable(facts, now), until: untilChange(facts, now) };
  const cause = risk(facts, now) ?? (isTight(facts, earliest) ? 'tight' : null);
  return { state: cause === null ? 'planned' : 'at-risk', cause, until: untilChange(facts, now) };
}

/** Whether a deadline fits only without what a wake may be late by. */
const isTight = ({ by, frame }: DeadlineFacts, earliest: number): boolean =>
  earliest + (frame?.latenessMs ?? 0) + deadlineGuardMs > by;

/** The first moment after `now` at which passing time alone may change the state. */
function untilChange(facts: DeadlineFacts, now: number): number {
  const { by, frame, fetchedAt, from, wantedSince } = facts;
  const moments = [by + 1, wantedSince + makingMs + 1];
  if (frame !== null) {
    const { wakesAt, takesUntil, latenessMs, drawMs, provesLater, shortestSleepMs } = frame;
    const slack = latenessMs + deadlineGuardMs;
    const needs = [0, drawMs, drawMs + shortestSleepMs];
    // A frame that may come at any moment has less and less time left.
    for (const need of needs) moments.push(by - need + 1, by - need - slack + 1);
    if (wakesAt !== null) moments.push(wakesAt, wakesAt + slack + 1);
    if (takesUntil !== null) moments.push(takesUntil + 1);
    if (from !== null) moments.push(from, from - shortestSleepMs);
    if (fetchedAt !== null) moments.push(fetchedAt + drawMs, fetchedAt + drawMs + (provesLater ? shortestSleepMs : 0));
  }
  return Math.min(...moments.filter((moment) => moment > now));
}

/** The times at which a wake of a frame must have begun so that a deadline is kept; none once that is settled. */
export function neededWakes({ by, frame, proofAt, fetchedAt, from }: DeadlineFacts, now: number): readonly number[] {
  if (frame === null || proofAt !== null || by <= now) return [];
  const { drawMs, provesLater, shortestSleepMs } = frame;
  const last = by - deadlineGuardMs - (provesLater || fetchedAt !== null ? 0 : drawMs);
  const first = provesLater && fetchedAt === null ? [last - drawMs - shortestSleepMs] : [];
  return [...first, last].filter((at) => at > now && (from === null || at > from));
}
