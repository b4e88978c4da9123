/** Writes when frames have to wake for their deadlines, which their told sleeps are planned by. */
import { type PlannedChange, storePlanned } from '../../gateway/frames/planned-changes.ts';
import type { FrameRow } from '../../gateway/frames/registry.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { isoTime } from '../../runtime/clock.ts';
import type { Database } from '../../runtime/database/database.ts';
import { neededWakes } from './deadline-state.ts';
import type { DeadlineSituation } from './read-situation.ts';

/**
 * Stores what is needed of each frame: the times at which a wake must have begun at the latest.
 * @param situations all open deadlines of these frames
 */
export async function planDeadlineWakes(
  db: Database,
  serials: readonly string[],
  situations: readonly DeadlineSituation[],
  now: number,
): Promise<void> {
  const needed = new Map<string, PlannedChange[]>(serials.map((serial) => [serial, []]));
  for (const { occurrence, facts, device } of situations) {
    const reason = reasonOf('deadline-due', { time: isoTime(occurrence.by_at) });
    const wakes = facts.picture === 'other-paper' ? [] : neededWakes(facts, now);
    for (const at of wakes) needed.get(device?.serial ?? '')?.push({ at, reason });
  }
  const frames: Pick<FrameRow, 'serial' | 'planned_changes' | 'planned_deadlines'>[] = await db<FrameRow>('frames')
    .whereIn('serial', [...serials])
    .select('serial', 'planned_changes', 'planned_deadlines');
  for (const frame of frames) {
    await storePlanned(db, frame, 'planned_deadlines', { planned: needed.get(frame.serial) ?? [], now });
  }
}
