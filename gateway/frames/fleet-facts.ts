/** The facts about many frames at once, for lists: one query for their rows and one for their batteries. */
import type { Database } from '../../runtime/database/database.ts';
import { allRows } from '../../runtime/database/plain-sql.ts';
import { daysLeftOfMany } from './battery.ts';
import type { FrameRow } from './registry.ts';

const fleetColumns = [
  'serial',
  'kind',
  'dialect',
  'activation',
  'activated_answer_at',
  'reported_version',
  'picture_synced',
  'glass_sha256',
  'firmware',
  'panel',
  'battery_mv',
  'rssi',
  'last_contact_at',
  'asleep_until',
  'cycle_started_at',
  'cycle_upload',
  'last_failure',
  'ownership',
  'created_at',
  'planned_changes',
] as const;

/** A frame of a list. Times are epoch milliseconds. */
export interface ListedFrame extends Pick<FrameRow, (typeof fleetColumns)[number]> {
  /** Time since which the frame is overdue; null while it is not. */
  readonly overdue_since: number | null;
  readonly battery_level: string | null;
  readonly conflict_since: number | null;
  /** 1 when the frame has a password, else 0. */
  readonly has_password: number;
  /** The end of its last certificate that was not revoked; null when there is none. */
  readonly certificate_end: number | null;
  readonly revoked_at: number | null;
  /** Days left of its battery; null when they cannot be estimated. */
  readonly daysLeft: number | null;
}

/** Gathers the facts of these frames, by serial. Frames that were never provisioned are left out. */
export async function factsOfFleet(
  db: Database,
  serials: readonly string[],
  now: number,
): Promise<ReadonlyMap<string, ListedFrame>> {
  if (serials.length === 0) return new Map();
  const rows = await allRows<Omit<ListedFrame, 'daysLeft'>>(
    db,
    `select ${fleetColumns.map((name) => `frames.${name}`).join(', ')},
       case when frames.password_hash is null then 0 else 1 end as has_password,
       frame_watch.overdue_since, frame_watch.battery_level, frame_conflicts.since as conflict_since,
       (select max(expires_at) from frame_certificates
         where frame_certificates.serial = frames.serial and revoked_at is null) as certificate_end,
       (select max(revoked_at) from frame_certificates where frame_certificates.serial = frames.serial) as revoked_at
     from frames left join frame_watch on frame_watch.serial = frames.serial
       left join frame_conflicts on frame_conflicts.serial = frames.serial
     where frames.serial in (${serials.map(() => '?').join(', ')})`,
    serials,
  );
  const left = await daysLeftOfMany(db, rows, now);
  return new Map(rows.map((row) => [row.serial, { ...row, daysLeft: left.get(row.serial) ?? null }]));
}
