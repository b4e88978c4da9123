/** The sleep a person wishes a frame to take, and the one it keeps as far as it has said so (C-59, C-60, A-17). */
import { limits } from '../../firmware-protocol/limits.ts';
import { clampSleepSeconds } from '../../firmware-protocol/sleep.ts';
import type { Database, Migration } from '../runtime/database.ts';
import { firstRow } from '../runtime/plain-sql.ts';
import type { Random } from '../runtime/random.ts';
import { recordEvent } from './event-log.ts';
import { type FrameRow, frameRegistry, serialKey } from './registry.ts';
import { sleepBetweenWindows, type UpdateSchedule } from './update-windows.ts';

/** `kept_sleep_seconds` is what the frame last said it keeps; null when it never did. */
export const settingTables: Migration = {
  name: 'gateway-06-settings',
  async up(db) {
    await db.raw('alter table frames add column kept_sleep_seconds integer');
  },
};

/** `update_schedule` is an `UpdateSchedule` as JSON; null without update windows. */
export const updateWindowTables: Migration = {
  name: 'gateway-07-update-windows',
  async up(db) {
    await db.raw('alter table frames add column update_schedule text');
  },
};

/** What a person sets for a frame. */
export interface FrameSettings {
  /** Text or number of seconds; an hour when it cannot be read. */
  readonly sleepTime: unknown;
  /** Null to wake at all times. */
  readonly updateSchedule?: UpdateSchedule | null;
}

/** What is read of a frame's row to know its sleep. */
type SleepColumns = Pick<FrameRow, 'sleep_seconds' | 'update_schedule'>;

/**
 * The sleep a frame is told, in seconds within the wire's limits: the one that was set, or until its next update window
 * (C-59).
 * @param wokeAt its last wake, epoch milliseconds: it is told the same until it sleeps
 */
export function toldSleepSeconds(frame: SleepColumns, wokeAt: number): number {
  const normal = clampSleepSeconds(frame.sleep_seconds);
  if (frame.update_schedule === null) return normal;
  const schedule = JSON.parse(frame.update_schedule) as UpdateSchedule;
  return clampSleepSeconds(sleepBetweenWindows(schedule, normal, wokeAt));
}

/** Writes a wish down; returns whether it differs from the wish before. */
export async function wishSleep(
  db: Database,
  serial: string,
  { sleepTime, updateSchedule = null }: FrameSettings,
  now: number,
  random: Random,
): Promise<boolean> {
  const wish: SleepColumns = {
    sleep_seconds: clampSleepSeconds(sleepTime),
    update_schedule: updateSchedule && JSON.stringify(updateSchedule),
  };
  const frame = await frameRegistry(db).find(serial);
  const isSame = frame?.sleep_seconds === wish.sleep_seconds;
  const hasSameWindows = (frame?.update_schedule ?? null) === wish.update_schedule;
  if (isSame && hasSameWindows) return false;
  await frameRegistry(db).change(serial, wish, now);
  const windows = hasSameWindows ? undefined : (updateSchedule?.length ?? null);
  await recordSleep(db, serial, 'wished', wish.sleep_seconds, now, random, windows);
  return true;
}

/**
 * Notes that a frame which kept another sleep now says that it keeps the wished one, or was told it. Where windows tell
 * another one at every other wake, that is no news.
 */
export async function noteKept(
  db: Database,
  frame: Pick<FrameRow, 'serial' | 'kept_sleep_seconds'> & SleepColumns,
  keptSeconds: number,
  now: number,
  random: Random,
  stage: 'taken' | 'told' = 'taken',
): Promise<void> {
  const isNews = frame.kept_sleep_seconds !== null && frame.kept_sleep_seconds !== keptSeconds;
  if (!isNews || frame.update_schedule !== null || keptSeconds !== clampSleepSeconds(frame.sleep_seconds)) return;
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
  // Between windows it takes whatever it was told, which no reboot is short enough for.
  const mayKeep = sleepSeconds >= limits.sleepSeconds.shortest ? 'or update_schedule is not null' : '';
  const taken = await firstRow<FrameRow>(
    db,
    `update frames set kept_sleep_seconds = ? where serial = ? and (sleep_seconds = ? ${mayKeep})
     and kept_sleep_seconds <> ? returning update_schedule`,
    [sleepSeconds, serialKey(serial), sleepSeconds, sleepSeconds],
  );
  if (taken?.update_schedule === null) await recordSleep(db, serial, 'taken', sleepSeconds, now, random);
}

function recordSleep(
  db: Database,
  serial: string,
  stage: 'wished' | 'told' | 'taken',
  sleepSeconds: number,
  at: number,
  random: Random,
  updateWindows?: number | null,
): Promise<void> {
  const payload = { stage, sleepSeconds, ...(updateWindows !== undefined && { updateWindows }) };
  return recordEvent(db, random, { serial, type: 'settings', at, payload });
}
