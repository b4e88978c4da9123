import type { Moment } from '../../runtime/moment.ts';
import { openBeforeMs } from './deadline-rows.ts';

/**
 * Makes the row of a day of a deadline on a frame, before it was looked at.
 * @param deviceId null while no frame is to show it
 * @param steps how many of its steps count as taken
 */
export function newOccurrence(
  {
    deadlineId,
    deviceId,
    by,
    steps = 0,
  }: { readonly deadlineId: string; readonly deviceId: string | null; readonly by: number; readonly steps?: number },
  { now, random }: Moment,
) {
  return {
    id: random.id(),
    deadline_id: deadlineId,
    device_id: deviceId,
    by_at: by,
    state: 'planned' as const,
    wanted_since: Math.min(now, by - openBeforeMs),
    since: now,
    steps_taken: steps,
    due_at: now,
    looked_at: now - 1,
    created_at: now,
  };
}
