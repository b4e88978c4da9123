/** What is known of a frame right now, for whoever asks. */
import type { Database } from '../runtime/database.ts';
import { firstRow } from '../runtime/plain-sql.ts';
import { knownDaysLeft } from './battery.ts';
import { isContested } from './identity-conflict.ts';
import { frameStatus } from './presence.ts';
import { type FrameRow, serialKey } from './registry.ts';
import { toldSleepSeconds } from './settings.ts';

/** What is known of a frame right now. Times are epoch milliseconds. */
export interface FrameFacts {
  readonly status: 'online' | 'offline' | 'error';
  readonly connected: boolean;
  readonly lastContactAt: number | null;
  readonly expectedWakeAt: number | null;
  readonly batteryMv: number | null;
  /** At the present pace; null when nothing can be said. */
  readonly batteryDaysLeft: number | null;
  readonly firmware: string | null;
  /** The newest that is offered to it, or that it has from there; null when nothing is. */
  readonly firmwareLatest: string | null;
  readonly fileVersion: number;
  /** What the frame last said of itself; null when it never said. */
  readonly pictureSynced: boolean | null;
  /** The picture it was offered last was not fetched yet, as far as is known, or is not what it shows (C-24). */
  readonly updatePending: boolean;
  /** The wish: with update windows, as of its last wake. */
  readonly sleepSeconds: number;
  /** What the frame last said it keeps; null when it never said. */
  readonly keptSleepSeconds: number | null;
  readonly kind: string;
  readonly panel: string | null;
}

const shownColumns = [
  ...(['serial', 'kind', 'dialect', 'sleep_seconds', 'kept_sleep_seconds', 'update_schedule'] as const),
  ...(['reported_version', 'picture_synced', 'firmware', 'panel', 'battery_mv', 'last_failure'] as const),
  ...(['last_contact_at', 'asleep_until', 'cycle_started_at'] as const),
];
// A statement is remembered by its text, which is put together once.
const frameAsShown = `select ${shownColumns.map((name) => `frames.${name}`).join(', ')},
  frame_conflicts.since as conflict_since,
  (select case when uploads.fetched_at is null or uploads.file_version > frames.reported_version then 1 else 0 end
    from uploads where uploads.serial = frames.serial and uploads.replaced_at is null
    order by uploads.offered_at desc limit 1) as update_pending
  from frames left join frame_conflicts on frame_conflicts.serial = frames.serial where frames.serial = ?`;
type FactsRow = Pick<FrameRow, (typeof shownColumns)[number]> & {
  readonly conflict_since: number | null;
  /** Null for a frame that was never offered a picture. */
  readonly update_pending: number | null;
};

/** Gathers a frame's facts, or undefined when it was never provisioned. */
export async function factsOfFrame(
  db: Database,
  serial: string,
  connected: boolean,
  now: number,
  firmwareFor: (frame: FactsRow) => string | null,
): Promise<FrameFacts | undefined> {
  const frame = await firstRow<FactsRow>(db, frameAsShown, [serialKey(serial)]);
  if (frame === undefined) return undefined;
  return {
    status: frameStatus(frame, connected, now, isContested(frame.conflict_since, now)),
    connected,
    lastContactAt: frame.last_contact_at,
    expectedWakeAt: frame.asleep_until,
    batteryMv: frame.battery_mv,
    batteryDaysLeft: await knownDaysLeft(db, frame, now),
    firmware: frame.firmware,
    firmwareLatest: firmwareFor(frame),
    fileVersion: frame.reported_version,
    pictureSynced: frame.picture_synced === null ? null : frame.picture_synced === 1,
    updatePending: frame.update_pending === 1,
    sleepSeconds: toldSleepSeconds(frame, frame.cycle_started_at ?? now),
    keptSleepSeconds: frame.kept_sleep_seconds,
    kind: frame.kind,
    panel: frame.panel,
  };
}
