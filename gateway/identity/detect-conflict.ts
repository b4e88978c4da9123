/** Suspect identities: the signs that two devices use one identity, and the end of such a conflict. */

import { reasonOf } from '../../reasons/reason.ts';
import type { Database } from '../../runtime/database/database.ts';
import { changeRows } from '../../runtime/database/plain-sql.ts';
import type { Moment } from '../../runtime/moment.ts';
import { conflictMs, lastConflict, recordConflict } from '../frames/identity-conflict.ts';
import { type FrameRow, frameRegistry, serialKey } from '../frames/registry.ts';
import { uploadLog } from '../pictures/upload-log.ts';

/**
 * Resolves true when a boot counter went backwards, as it does when a copy of a frame's certificate is used (T-47).
 * When a conflict is old and only the lower counter is still seen, that counter is accepted: the frame was given a new
 * memory.
 */
export async function isSuspect(
  db: Database,
  frame: FrameRow,
  boot: number,
  { now, random }: Moment,
): Promise<boolean> {
  if (frame.boot === null || boot >= frame.boot) {
    // The device with the higher counter is alive, so an old conflict must not let the next copy pass.
    await changeRows(db, 'delete from frame_conflicts where serial = ? and since <= ?', [
      frame.serial,
      now - conflictMs,
    ]);
    return false;
  }
  const since = await lastConflict(db, frame.serial);
  if (since !== undefined && now >= since + conflictMs) {
    await settleConflict(db, frame.serial, now);
    return false;
  }
  const more = { boot, bootBefore: frame.boot };
  await recordConflict(db, { serial: frame.serial, problem: reasonOf('boot-went-backwards'), more }, { now, random });
  return true;
}

/**
 * Compares versions for a frame without a boot counter. It keeps its picture's version in its flash, where it only
 * grows: a wake with a lower version is another device's, or an older copy's. Version 0 is that of a frame that was
 * reset.
 */
export async function noteVersion(db: Database, frame: FrameRow, version: number, moment: Moment): Promise<void> {
  if (version <= 0 || version >= frame.reported_version) return;
  const more = { version, versionBefore: frame.reported_version };
  await recordConflict(db, { serial: frame.serial, problem: reasonOf('version-went-backwards'), more }, moment);
}

/**
 * Ends a conflict: the frame is one again, and whatever counter it reports next is right. The proof of the time of the
 * conflict may be the other device's, so the picture is fetched again.
 */
export async function settleConflict(db: Database, serial: string, now: number): Promise<void> {
  const settled = await db('frame_conflicts')
    .where({ serial: serialKey(serial) })
    .delete();
  if (settled > 0) await uploadLog(db).forgetProof(serial);
  await frameRegistry(db).change(serial, { boot: null }, now);
}
