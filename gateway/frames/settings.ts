/** The settings of a frame: its sleep, its update windows, and the flags that frames in the field keep. */
import type { ClassicFlags } from '../../firmware-protocol/classic.ts';
import { limits } from '../../firmware-protocol/limits.ts';
import { clampSleepSeconds } from '../../firmware-protocol/sleep.ts';
import type { Database } from '../../runtime/database/database.ts';
import type { Moment } from '../../runtime/moment.ts';
import { recordFrameEvent } from './event-log.ts';
import { type FrameRow, frameRegistry } from './registry.ts';
import type { UpdateSchedule } from './update-windows.ts';

/** The settings that a person makes for a frame. */
export interface FrameSettings {
  /** Text or number of seconds; an hour when it cannot be read. */
  readonly sleepTime: unknown;
  /** Null for a frame that wakes at all times. */
  readonly updateSchedule?: UpdateSchedule | null;
  /** An absent flag is sent with its factory value. */
  readonly flags?: ClassicFlags;
  /** True when a frame whose pictures are proven by its next wake is to wake soon after a new one. */
  readonly provesSoon?: boolean;
  /** The most wakes of a day; null or left out without a bound. */
  readonly maxWakesPerDay?: number | null;
}

/**
 * The values that a frame in the field has at each start (W-20). They are sent all the same, because another firmware may
 * keep the values it was sent before.
 */
const factoryFlags = { overlay: true, clearscreen: true } as const satisfies ClassicFlags;

/** The columns of a frame's row that hold the settings of its sleep. */
type SleepColumns = Pick<FrameRow, 'sleep_seconds' | 'update_schedule'>;

/** The columns by which the sleep of a frame differs from wake to wake. */
type VaryingColumns = Pick<FrameRow, 'update_schedule' | 'planned_changes' | 'planned_deadlines' | 'max_wakes_per_day'>;

/** Whether a frame is sent a sleep of its own at each wake: one that differs from its setting is then to be expected. */
function sleepVaries(frame: VaryingColumns): boolean {
  return [frame.update_schedule, frame.planned_changes, frame.planned_deadlines, frame.max_wakes_per_day].some(
    (value) => value !== null,
  );
}

/** The flags to send to a classic frame with every activation (W-27). */
export function flagsFor({ flags }: Pick<FrameRow, 'flags'>): ClassicFlags {
  return { ...factoryFlags, ...(flags === null ? {} : (JSON.parse(flags) as ClassicFlags)) };
}

/** Stores settings. @returns true when the sleep differs from the one stored before: a frame that is awake is sent it. */
export async function requestSettings(
  db: Database,
  serial: string,
  { sleepTime, updateSchedule = null, flags = {}, provesSoon = false, maxWakesPerDay = null }: FrameSettings,
  { now, random }: Moment,
): Promise<boolean> {
  const request: SleepColumns = {
    sleep_seconds: clampSleepSeconds(sleepTime),
    update_schedule: updateSchedule && JSON.stringify(updateSchedule),
  };
  const frame = await frameRegistry(db).find(serial);
  const stored = JSON.stringify(flags);
  if ((frame?.flags ?? '{}') !== stored) await frameRegistry(db).change(serial, { flags: stored }, now);
  if ((frame?.prove_soon === 1) !== provesSoon) {
    await frameRegistry(db).change(serial, { prove_soon: provesSoon ? 1 : 0 }, now);
  }
  const hasSameBound = (frame?.max_wakes_per_day ?? null) === maxWakesPerDay;
  if (!hasSameBound) await frameRegistry(db).change(serial, { max_wakes_per_day: maxWakesPerDay }, now);
  const isSame = frame?.sleep_seconds === request.sleep_seconds;
  const hasSameWindows = (frame?.update_schedule ?? null) === request.update_schedule;
  if (isSame && hasSameWindows) return !hasSameBound;
  await frameRegistry(db).change(serial, request, now);
  const windows = !hasSameWindows && { updateWindows: updateSchedule?.length ?? null };
  const wish = { stage: 'wished', sleepSeconds: request.sleep_seconds, ...windows } as const;
  await recordSleep(db, serial, wish, { now, random });
  return true;
}

/**
 * Records that a frame which kept another sleep now reports the configured one, or was sent it. Nothing is recorded for
 * a frame whose sleep differs from wake to wake.
 */
export async function recordKeptSleep(
  db: Database,
  frame: Pick<FrameRow, 'serial' | 'kept_sleep_seconds'> & SleepColumns & VaryingColumns,
  kept: { readonly stage: 'taken' | 'told'; readonly sleepSeconds: number },
  moment: Moment,
): Promise<void> {
  const { sleepSeconds } = kept;
  const isNews = frame.kept_sleep_seconds !== null && frame.kept_sleep_seconds !== sleepSeconds;
  if (!isNews || sleepVaries(frame) || sleepSeconds !== clampSleepSeconds(frame.sleep_seconds)) return;
  await recordSleep(db, frame.serial, kept, moment);
}

/**
 * Records the sleep with which a frame says goodbye. When it is the configured one, the frame has taken the setting; the
 * second that a reboot takes is not a setting.
 * @param frame its row, which this transaction has locked
 * @returns the changes of its row, for the caller to write
 */
export async function recordByeSleep(
  db: Database,
  frame: Pick<FrameRow, 'serial' | 'kept_sleep_seconds'> & SleepColumns & VaryingColumns,
  sleepSeconds: number,
  moment: Moment,
): Promise<Partial<FrameRow>> {
  // Such a frame takes whatever sleep it was sent; a reboot is shorter than any of those.
  const varies = sleepVaries(frame);
  const mayKeep = varies && sleepSeconds >= limits.sleepSeconds.shortest;
  const isNews = frame.kept_sleep_seconds !== null && frame.kept_sleep_seconds !== sleepSeconds;
  if (!isNews || (frame.sleep_seconds !== sleepSeconds && !mayKeep)) return {};
  if (!varies) await recordSleep(db, frame.serial, { stage: 'taken', sleepSeconds }, moment);
  return { kept_sleep_seconds: sleepSeconds };
}

function recordSleep(
  db: Database,
  serial: string,
  payload: {
    readonly stage: 'wished' | 'told' | 'taken';
    readonly sleepSeconds: number;
    /** How many there are, where they changed. */
    readonly updateWindows?: number | null;
  },
  { now: at, random }: Moment,
): Promise<void> {
  return recordFrameEvent(db, random, { serial, type: 'settings', at, payload });
}
