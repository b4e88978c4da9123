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
}

/** The number of changes that are kept for a frame: those of a day on which a picture changes each quarter of an hour. */
export const maxPlannedChanges = 96;

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
  const sorted = planned.toSorted((one, other) => one.at - other.at).slice(0, maxPlannedChanges);
  const stored = sorted.length === 0 ? null : JSON.stringify(sorted);
  if (frame[column] === stored) return false;
  await frameRegistry(db).change(frame.serial, { [column]: stored }, now);
  return true;
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
