/** The present facts about a frame, for the API and the status page. */
import type { Database } from '../../runtime/database/database.ts';
import { firstRow } from '../../runtime/database/plain-sql.ts';
import { knownDaysLeft } from './battery.ts';
import { tellingOf } from './expect-wake.ts';
import { isConflictOpen } from './identity-conflict.ts';
import { plannedAfter } from './planned-changes.ts';
import { frameStatus } from './presence.ts';
import { type FrameRow, serialKey } from './registry.ts';
import { isSimulatedSql } from './simulated-frames.ts';
import { sleepSecondsAsSet, type ToldSleep } from './tell-sleep.ts';
import { isOpenAt, openTimes, type UpdateSchedule } from './update-windows.ts';

/** The present facts about a frame. Times are epoch milliseconds. */
export interface FrameFacts {
  readonly status: 'online' | 'offline' | 'error';
  readonly connected: boolean;
  readonly lastContactAt: number | null;
  readonly expectedWakeAt: number | null;
  readonly batteryMv: number | null;
  /** Days left at the present pace; null when they cannot be estimated. */
  readonly batteryDaysLeft: number | null;
  readonly firmware: string | null;
  /** The newest version that is offered to the frame, or that it took from a rollout; null when there is none. */
  readonly firmwareLatest: string | null;
  readonly fileVersion: number;
  /** The frame's last own report that its picture is in sync; null when it never reported it. */
  readonly pictureSynced: boolean | null;
  /** True when the frame has not fetched its newest picture, as far as is known, or does not report that it shows it (C-24). */
  readonly updatePending: boolean;
  /** The configured sleep; with update windows, the sleep as of the frame's last wake. */
  readonly sleepSeconds: number;
  /** The sleep that the frame last reported as its stored one; null when it never reported any. */
  readonly keptSleepSeconds: number | null;
  /** The times at which its picture is known to change, and at which it may wake, the earliest first. */
  readonly changesAt: readonly number[];
  /** The end of its present sleep, as it was sent; null where the frame chose its sleep itself. */
  readonly toldSleep: ToldSleep | null;
  readonly kind: string;
  /** The dialect that it spoke last; null for one that was never connected. */
  readonly dialect: string | null;
  readonly panel: string | null;
  /** True for a frame that the service plays itself. */
  readonly isSimulated: boolean;
}

/** How far ahead changes are held against update windows. */
const foreseenMs = 31 * 86_400_000;

const shownColumns = [
  'serial',
  'kind',
  'dialect',
  'sleep_seconds',
  'kept_sleep_seconds',
  'update_schedule',
  'planned_changes',
  'reported_version',
  'picture_synced',
  'firmware',
  'panel',
  'battery_mv',
  'last_failure',
  'last_contact_at',
  'asleep_until',
  'cycle_started_at',
] as const;
// The text is put together once, because prepared statements are cached by their text.
const frameAsShown = `select ${shownColumns.map((name) => `frames.${name}`).join(', ')},
  frame_conflicts.since as conflict_since, frame_watch.told, frame_watch.announced_until, case when ${isSimulatedSql('frames.serial')} then 1 else 0 end as is_simulated,
  (select case when uploads.fetched_at is null or uploads.file_version > frames.reported_version then 1 else 0 end
    from uploads where uploads.serial = frames.serial and uploads.ownership = frames.ownership
    and uploads.replaced_at is null
    order by uploads.offered_at desc limit 1) as update_pending
  from frames left join frame_conflicts on frame_conflicts.serial = frames.serial
  left join frame_watch on frame_watch.serial = frames.serial where frames.serial = ?`;
type FactsRow = Pick<FrameRow, (typeof shownColumns)[number]> & {
  readonly conflict_since: number | null;
  /** Null for a frame that was never offered a picture. */
  readonly update_pending: number | null;
  readonly is_simulated: number;
  readonly told: string | null;
  readonly announced_until: number | null;
};

/** The facts about a frame at `now` besides its row. */
interface KnownOfFrame {
  readonly connected: boolean;
  readonly now: number;
  readonly firmwareFor: (frame: FactsRow) => string | null;
}

/** Gathers a frame's facts, or undefined when it was never provisioned. */
export async function factsOfFrame(
  db: Database,
  serial: string,
  { connected, now, firmwareFor }: KnownOfFrame,
): Promise<FrameFacts | undefined> {
  const frame = await firstRow<FactsRow>(db, frameAsShown, [serialKey(serial)]);
  if (frame === undefined) return undefined;
  return {
    status: frameStatus(frame, connected, now, isConflictOpen(frame.conflict_since, now)),
    connected,
    lastContactAt: frame.last_contact_at,
    expectedWakeAt: frame.asleep_until,
    batteryMv: frame.battery_mv,
    batteryDaysLeft: await knownDaysLeft(db, frame, now),
    firmware: frame.firmware,
    firmwareLatest: firmwareFor(frame),
    fileVersion: frame.reported_version,
    pictureSynced: frame.picture_synced === null ? null : frame.picture_synced === 1,
    updatePending: frame.update_pending === 1 || (frame.update_pending === 0 && frame.picture_synced === 0),
    sleepSeconds: sleepSecondsAsSet(frame, frame.cycle_started_at ?? now),
    keptSleepSeconds: frame.kept_sleep_seconds,
    changesAt: changesOf(frame, now),
    toldSleep: tellingOf(frame) ?? null,
    kind: frame.kind,
    dialect: frame.dialect,
    panel: frame.panel,
    isSimulated: frame.is_simulated === 1,
  };
}

function changesOf(frame: Pick<FrameRow, 'planned_changes' | 'update_schedule'>, now: number): readonly number[] {
  const { update_schedule } = frame;
  const schedule = update_schedule === null ? undefined : (JSON.parse(update_schedule) as UpdateSchedule);
  const changes = plannedAfter(frame, 'planned_changes', now).map(({ at }) => at);
  if (schedule === undefined || changes.length === 0) return changes;
  const open = openTimes(schedule, now, Math.min(changes.at(-1) ?? now, now + foreseenMs));
  return changes.filter((at) => isOpenAt(open, at));
}
