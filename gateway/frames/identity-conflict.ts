/** Two devices that claim one identity: recorded, shown as trouble for a week, settled by provisioning anew (T-47, A-12). */
import { uploadLog } from '../pictures/upload-log.ts';
import type { Database } from '../runtime/database.ts';
import { changeRows } from '../runtime/plain-sql.ts';
import type { Random } from '../runtime/random.ts';
import { recordEvent } from './event-log.ts';
import { type FrameRow, frameRegistry, serialKey } from './registry.ts';

/** A conflict is over when nobody has settled it for this long. */
export const conflictMs = 7 * 86_400_000;

interface ConflictRow {
  serial: string;
  since: number;
  problem: string;
}

/** Since when two claim a frame's identity, or undefined when none do. */
export async function contestedSince(db: Database, serial: string, now: number): Promise<number | undefined> {
  const since = await lastConflict(db, serial);
  return since !== undefined && isContested(since, now) ? since : undefined;
}

/** When the last conflict began, over or not, if it was not settled. */
export async function lastConflict(db: Database, serial: string): Promise<number | undefined> {
  return (await conflictOf(db, serial))?.since;
}

/** Whether a conflict of that time still counts; null when there never was one. */
export function isContested(since: number | null, now: number): boolean {
  return since !== null && now < since + conflictMs;
}

/** Records a conflict, with one alert for as long as it lasts. */
export async function recordConflict(
  db: Database,
  conflict: { readonly serial: string; readonly problem: string; readonly more?: Record<string, unknown> },
  now: number,
  random: Random,
): Promise<void> {
  const { problem } = conflict;
  const serial = serialKey(conflict.serial);
  if ((await contestedSince(db, serial, now)) !== undefined) return;
  await db('frame_conflicts').insert({ serial, since: now, problem }).onConflict('serial').merge();
  await recordEvent(db, random, { serial, type: 'alert', at: now, payload: { problem, ...conflict.more } });
}

/**
 * Whether a boot counter went backwards, as it does when a copy of a frame's certificate speaks. When a conflict has
 * become old and only the lower counter is still heard of, it is taken as it is: the frame was given a new memory.
 */
export async function isDoubted(
  db: Database,
  frame: FrameRow,
  boot: number,
  now: number,
  random: Random,
): Promise<boolean> {
  if (frame.boot === null || boot >= frame.boot) {
    // The holder of the higher counter lives: an old conflict must not let the next copy pass.
    await changeRows(db, 'delete from frame_conflicts where serial = ? and since <= ?', [
      frame.serial,
      now - conflictMs,
    ]);
    return false;
  }
  const conflict = await conflictOf(db, frame.serial);
  if (conflict !== undefined && now >= conflict.since + conflictMs) {
    await settleConflict(db, frame.serial, now);
    return false;
  }
  const more = { boot, bootBefore: frame.boot };
  await recordConflict(db, { serial: frame.serial, problem: 'the boot counter went backwards', more }, now, random);
  return true;
}

/**
 * A frame without a boot counter holds its picture's version in its flash, where it only grows: a wake with a lower one
 * is another device's, or an older copy's. None at all is that of a frame that was reset (frame wire 9).
 */
export async function noteVersion(
  db: Database,
  frame: FrameRow,
  version: number,
  now: number,
  random: Random,
): Promise<void> {
  if (version <= 0 || version >= frame.reported_version) return;
  const more = { version, versionBefore: frame.reported_version };
  await recordConflict(db, { serial: frame.serial, problem: 'the version it holds went backwards', more }, now, random);
}

/**
 * The frame is one again: whatever counter it comes with next is right. What was proven while there were two may have
 * been proven by the other; the picture is fetched anew.
 */
export async function settleConflict(db: Database, serial: string, now: number): Promise<void> {
  const settled = await db('frame_conflicts')
    .where({ serial: serialKey(serial) })
    .delete();
  if (settled > 0) await uploadLog(db).forgetProof(serial);
  await frameRegistry(db).change(serial, { boot: null }, now);
}

function conflictOf(db: Database, serial: string): Promise<ConflictRow | undefined> {
  return db<ConflictRow>('frame_conflicts')
    .where({ serial: serialKey(serial) })
    .first();
}
