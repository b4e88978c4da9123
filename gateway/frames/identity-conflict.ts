/** Conflicts of identity: two devices that claim one identity are recorded, and shown as trouble for a week. */

import { type Reason, storedReasons } from '../../reasons/reason.ts';
import type { Database } from '../../runtime/database/database.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import type { Moment } from '../../runtime/moment.ts';
import { recordFrameEvent } from './event-log.ts';
import type { presenceTables } from './presence-tables.ts';
import { serialKey } from './registry.ts';

/** The time after which a conflict that nobody has settled counts as over. */
export const conflictMs = 7 * 86_400_000;

type ConflictRow = RowIn<typeof presenceTables, 'frame_conflicts'>;

/** Time since which two devices claim a frame's identity; undefined when there is no open conflict. */
export async function conflictSince(db: Database, serial: string, now: number): Promise<number | undefined> {
  const since = await lastConflict(db, serial);
  return since !== undefined && isConflictOpen(since, now) ? since : undefined;
}

/** Time at which the last unsettled conflict began, whether or not it is over. */
export async function lastConflict(db: Database, serial: string): Promise<number | undefined> {
  return (await conflictOf(db, serial))?.since;
}

/** True when a conflict that began at `since` still counts; null stands for no conflict. */
export function isConflictOpen(since: number | null, now: number): boolean {
  return since !== null && now < since + conflictMs;
}

/** Records a conflict, with one alert for as long as it lasts (T-47). */
export async function recordConflict(
  db: Database,
  conflict: { readonly serial: string; readonly problem: Reason; readonly more?: Record<string, unknown> },
  { now, random }: Moment,
): Promise<void> {
  const { problem } = conflict;
  const serial = serialKey(conflict.serial);
  if ((await conflictSince(db, serial, now)) !== undefined) return;
  await db('frame_conflicts')
    .insert({ serial, since: now, problem: storedReasons(problem) })
    .onConflict('serial')
    .merge();
  await recordFrameEvent(db, random, { serial, type: 'alert', at: now, payload: { problem, ...conflict.more } });
}

function conflictOf(db: Database, serial: string): Promise<ConflictRow | undefined> {
  return db<ConflictRow>('frame_conflicts')
    .where({ serial: serialKey(serial) })
    .first();
}
