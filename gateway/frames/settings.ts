/** The sleep a person wishes a frame to take, and the one it keeps as far as it has said so (C-60, A-17). */
import { clampSleepSeconds } from '../../firmware-protocol/sleep.ts';
import type { Database, Migration } from '../runtime/database.ts';
import { firstRow } from '../runtime/plain-sql.ts';
import type { Random } from '../runtime/random.ts';
import { recordEvent } from './event-log.ts';
import { type FrameRow, frameRegistry, serialKey } from './registry.ts';

/** `kept_sleep_seconds` is what the frame last said it keeps; null when it never did. */
export const settingTables: Migration = {
  name: 'gateway-06-settings',
  async up(db) {
    await db.raw('alter table frames add column kept_sleep_seconds integer');
  },
};

/**
 * Writes a wish down.
 * @param sleepTime text or number of seconds; an hour when it cannot be read
 * @returns whether it differs from the wish before
 */
export async function wishSleep(
  db: Database,
  serial: string,
  sleepTime: unknown,
  now: number,
  random: Random,
): Promise<boolean> {
  const sleepSeconds = clampSleepSeconds(sleepTime);
  const frame = await frameRegistry(db).find(serial);
  if (frame?.sleep_seconds === sleepSeconds) return false;
  await frameRegistry(db).change(serial, { sleep_seconds: sleepSeconds }, now);
  await recordSleep(db, serial, 'wished', sleepSeconds, now, random);
  return true;
}

/** Notes that a frame which kept another sleep now says that it keeps the wished one, or was told it. */
export async function noteKept(
  db: Database,
  frame: Pick<FrameRow, 'serial' | 'sleep_seconds' | 'kept_sleep_seconds'>,
  keptSeconds: number,
  now: number,
  random: Random,
  stage: 'taken' | 'told' = 'taken',
): Promise<void> {
  const isNews = frame.kept_sleep_seconds !== null && frame.kept_sleep_seconds !== keptSeconds;
  if (!isNews || keptSeconds !== clampSleepSeconds(frame.sleep_seconds)) return;
  await recordSleep(db, frame.serial, stage, keptSeconds, now, random);
}

/** A frame goes to sleep for so long. When that is the wish, it has taken it; a reboot's second is no setting. */
export async function noteFarewell(
  db: Database,
  serial: string,
  sleepSeconds: number,
  now: number,
  random: Random,
): Promise<void> {
  const taken = await firstRow(
    db,
    `update frames set kept_sleep_seconds = ?
     where serial = ? and sleep_seconds = ? and kept_sleep_seconds <> ? returning serial`,
    [sleepSeconds, serialKey(serial), sleepSeconds, sleepSeconds],
  );
  if (taken !== undefined) await recordSleep(db, serial, 'taken', sleepSeconds, now, random);
}

function recordSleep(
  db: Database,
  serial: string,
  stage: 'wished' | 'told' | 'taken',
  sleepSeconds: number,
  at: number,
  random: Random,
): Promise<void> {
  return recordEvent(db, random, { serial, type: 'settings', at, payload: { stage, sleepSeconds } });
}
