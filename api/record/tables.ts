/** The tables of the wall's record: which picture hung on which frame, the receipts of it, and what an organization decided. */
import { laterTables, type Migration } from '../../runtime/database/migration.ts';
import { defineTable } from '../../runtime/database/table.ts';

/**
 * A row is a picture on a frame from when to when. It outlives the picture, its paper and the frame's device. Times are epoch
 * milliseconds.
 */
const wallIntervals = defineTable(
  'wall_intervals',
  {
    id: 'text primary key',
    organization_id: 'text not null references organizations(id) on delete cascade',
    serial: 'text not null',
    // The frame's at the time of the offer (T-63).
    ownership: 'integer not null',
    device_id: 'text not null',
    // As they were called then; emptied when an admin has the words forgotten.
    frame_name: 'text not null',
    title: 'text',
    sender: 'text',
    // What hides the words in the receipt; null once they are forgotten.
    blind: 'text',
    // The kind of `ShownItem`.
    shows: 'text not null',
    paper_id: 'text',
    upload_id: 'text not null',
    revision: 'text not null',
    picture_sha256: 'text not null',
    grade: 'text not null',
    since: 'integer not null',
    // Null while it hangs there.
    until: 'integer',
    // One of `intervalEnds`; null while it hangs there.
    ended: 'text',
  },
  [
    'create unique index wall_intervals_by_serial on wall_intervals (serial, since)',
    'create unique index wall_intervals_open on wall_intervals (serial) where until is null',
    'create index wall_intervals_by_frame on wall_intervals (organization_id, serial, since)',
    'create index wall_intervals_by_time on wall_intervals (organization_id, since, id)',
  ],
);

/** The chain of receipts of an organization. A line is what the hash is of, and is never changed. */
const wallReceipts = defineTable(
  'wall_receipts',
  {
    organization_id: 'text not null references organizations(id) on delete cascade',
    // Counts from 1 without a gap.
    number: 'integer not null',
    interval_id: 'text not null',
    // When it was written, epoch milliseconds; never before the one before it.
    at: 'integer not null',
    line: 'text not null',
    hash: 'text not null',
  },
  [
    'primary key (organization_id, number)',
    'create index wall_receipts_by_time on wall_receipts (organization_id, at, number)',
    'create index wall_receipts_by_day on wall_receipts (at)',
  ],
);

/** The signed end of a day's receipts. */
const wallRoots = defineTable(
  'wall_roots',
  {
    organization_id: 'text not null references organizations(id) on delete cascade',
    // Days since 1970, in UTC.
    day: 'integer not null',
    // The number of the day's last receipt.
    number: 'integer not null',
    line: 'text not null',
    // Null until it stands in the file of roots.
    written_at: 'integer',
  },
  [
    'primary key (organization_id, day)',
    'create index wall_roots_by_day on wall_roots (day)',
    'create index wall_roots_unwritten on wall_roots (organization_id) where written_at is null',
  ],
);

/** The keys by which the service signs records, sealed: one for each secret that the service has had. */
const recordKeys = defineTable('record_keys', {
  name: 'text primary key',
  sealed: 'text not null',
  // In hex.
  public_key: 'text not null',
  made_at: 'integer not null',
});

/** The decisions of an organization about its record; without a row everything is as at first. */
const recordSettings = defineTable('record_settings', {
  organization_id: 'text primary key references organizations(id) on delete cascade',
  keep_years: 'integer not null',
  updated_at: 'integer not null',
});

/** The tables of this subject. */
export const recordTables = [wallIntervals, wallReceipts, wallRoots, recordKeys, recordSettings] as const;

/** The migrations of this subject, oldest first. A new one is added here and nowhere else. */
export const recordMigrations: readonly Migration[] = [laterTables('record', recordTables)];
