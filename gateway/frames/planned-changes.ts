/** When the picture of a frame changes next, as far as it is known: what the ends of its sleeps are planned by. */
import type { Reason } from '../../reasons/reason.ts';
import type { Database } from '../../runtime/database/database.ts';
import { type FrameRow, frameRegistry } from './registry.ts';

/** A change of a frame's picture that is known beforehand, or the time by which a picture has to be proven. */
export interface PlannedChange {
  /** Epoch milliseconds. */
  readonly at: number;
  /** Why the picture changes then, as people read it. */
  readonly reason?: Reason;
  /** Whether a frame that wakes up to a minute before may be given the coming picture already (WK-14). */
  readonly mayShowEarly?: boolean;
  /** The list ends here, and its changes do not: more of them were known than are kept. */
  readonly goesOn?: boolean;
}

/** The number of changes that are kept for a frame: those of a day on which a picture changes each quarter of an hour. */
export const maxPlannedChanges = 96;
const dayMs = 86_400_000;
/** A list that goes on is taken to have no more changes than one each so often, on average. */
const leastGapMs = 15_000;

/** How long before an expected wake its picture is drawn: enough for a queue of renderings, or for a frame's fast clock. */
export const drawnBeforeMs = 5 * 60_000;
/** A frame that wakes no more than this before a change is given the coming picture, where that may be shown early (WK-14). */
export const earlyChangeMs = 60_000;

/** The two lists of a frame's row: the changes of its papers, and its deadlines. */
export type PlannedColumn = 'planned_changes' | 'planned_deadlines';

/**
 * Stores what is planned for a frame, the earliest first, in place of what was planned before.
 * @returns true when it differs from what was stored
 */
export async function storePlanned(
  db: Database,
  frame: Pick<FrameRow, 'serial' | PlannedColumn>,
  column: PlannedColumn,
  { planned, now }: { readonly planned: readonly PlannedChange[]; readonly now: number },
): Promise<boolean> {
  const stored = planned.length === 0 ? null : JSON.stringify(keptOf(planned));
  if (frame[column] === stored) return false;
  await frameRegistry(db).change(frame.serial, { [column]: stored }, now);
  return true;
}

/** Returns what is kept of a list, the earliest first; its last change says where it was longer. */
export function keptOf(planned: readonly PlannedChange[]): readonly PlannedChange[] {
  const sorted = planned.toSorted((one, other) => one.at - other.at);
  return sorted
    .slice(0, maxPlannedChanges)
    .map((change, index) =>
      index === maxPlannedChanges - 1 && sorted.length > maxPlannedChanges ? { ...change, goesOn: true } : change,
    );
}

/** Returns what is planned for a frame after `now`, the earliest first. */
export function plannedAfter(
  frame: Partial<Pick<FrameRow, PlannedColumn>>,
  column: PlannedColumn,
  now: number,
): readonly PlannedChange[] {
  const stored = frame[column] ?? null;
  return stored === null ? [] : (JSON.parse(stored) as readonly PlannedChange[]).filter(({ at }) => at > now);
}

/**
 * Returns the changes of a frame's picture after `now` that it may wake for, the earliest first: all of the coming day. A list
 * that was cut is taken to go on as it begins, and any other one as on the day before.
 * @param until how far it is looked ahead, epoch milliseconds
 */
export function expectedChanges(
  frame: Partial<Pick<FrameRow, 'planned_changes'>>,
  now: number,
  until = now + dayMs,
): readonly PlannedChange[] {
  const planned = plannedAfter(frame, 'planned_changes', now);
  const [first, last, count] = [planned[0], planned.at(-1), planned.length];
  if (first === undefined || last === undefined) return planned;
  const knownUntil = last.goesOn === true ? last.at : Math.max(last.at, now + dayMs);
  const spanMs = ((last.at - first.at) * count) / Math.max(1, count - 1);
  const periodMs = last.goesOn === true ? Math.max(count * leastGapMs, spanMs) : dayMs;
  const expected = [...planned];
  for (let later = periodMs; first.at + later <= until; later += periodMs)
    for (const change of planned) {
      const at = Math.round(change.at + later);
      if (at > knownUntil && at <= until) expected.push({ ...change, at, goesOn: false });
    }
  return expected;
}

/** Returns the first of what is planned for a frame after `now`; of a long list no more is read than that. */
export function nextPlanned(
  frame: Partial<Pick<FrameRow, PlannedColumn>>,
  column: PlannedColumn,
  now: number,
): PlannedChange | undefined {
  const stored = frame[column] ?? '';
  for (const { index, 1: at } of stored.matchAll(/\{"at":(\d+)/g)) {
    if (Number(at) <= now) continue;
    const end = stored.indexOf(',{"at":', index);
    return JSON.parse(end === -1 ? stored.slice(index, -1) : stored.slice(index, end)) as PlannedChange;
  }
  return undefined;
}

/** Returns the moment whose picture is drawn for a wake: one just before a change is given what comes then (WK-14). */
export function drawnFor(frame: Partial<Pick<FrameRow, 'planned_changes'>>, wakeAt: number): number {
  const next = nextPlanned(frame, 'planned_changes', wakeAt);
  return next?.mayShowEarly === true && next.at <= wakeAt + earlyChangeMs ? next.at : wakeAt;
}

/**
 * Returns the moment whose picture a frame was just given: only one that was drawn for this wake may be that of a change to
 * come (WK-14). Times are epoch milliseconds.
 * @param wake whether it was given a new picture at `now`, and when it was expected before it woke
 */
export function momentGiven(
  frame: Partial<Pick<FrameRow, 'planned_changes'>>,
  { givesNew, expectedAt = null }: { readonly givesNew: boolean; readonly expectedAt?: number | null },
  now: number,
): number {
  if (!givesNew || expectedAt === null || expectedAt > now + drawnBeforeMs) return now;
  return Math.min(drawnFor(frame, expectedAt), now + earlyChangeMs);
}
