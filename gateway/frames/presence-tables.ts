/** The tables of the presence watch, of the batteries day by day, and of identity conflicts. */
import type { Migration } from '../../runtime/database/database.ts';
import { baseline } from '../../runtime/database/migration.ts';
import { defineTable, type RowOf } from '../../runtime/database/table.ts';

/** A row of `frame_watch`. */
export type WatchRow = RowOf<typeof frameWatch>;

/** The watch over a frame that was sent to sleep. Times are epoch milliseconds. */
const frameWatch = defineTable(
  'frame_watch',
  {
    serial: 'text primary key references frames(serial)',
    // The time at which silence becomes an outage.
    due_at: 'integer',
    // Set while an outage lasts.
    overdue_since: 'integer',
    // 1 when the frame was granted one more sleep, because the service itself had been away.
    excused: 'integer not null',
    // With `announced_until` the bounds of the last announced sleep.
    slept_at: 'integer',
    announced_until: 'integer',
    // The real lengths of the last sleeps, as parts of the announced lengths (JSON numbers): read by the release before.
    periods: 'text not null',
    battery_level: 'text',
    // The last sleeps as JSON of `KnownSleep`; null before the first, and where only `periods` was written.
    sleeps: 'text',
    // The last sleep that the frame was sent, as JSON of `StoredTelling`; null where its length is a guess.
    told: 'text',
  },
  [
    'create index frame_watch_due on frame_watch (due_at)',
    'create index frame_watch_overdue on frame_watch (overdue_since) where overdue_since is not null',
    `create index frame_watch_battery on frame_watch (battery_level) where battery_level in ('low', 'critical')`,
  ],
);

const batteryDays = defineTable(
  'battery_days',
  {
    serial: 'text not null references frames(serial)',
    day: 'integer not null',
    samples: 'integer not null',
    min_mv: 'integer not null',
    sum_mv: 'integer not null',
  },
  ['primary key (serial, day)'],
);

const frameConflicts = defineTable('frame_conflicts', {
  serial: 'text primary key references frames(serial)',
  since: 'integer not null',
  // As `storedReasons` writes it.
  problem: 'text not null',
});

/** The tables of this subject. */
export const presenceTables = [frameWatch, batteryDays, frameConflicts] as const;

/** The migrations of this subject, oldest first. A new one is added here and nowhere else. */
export const presenceMigrations: readonly Migration[] = [
  baseline('presence', presenceTables),
  {
    name: 'presence-2-told-sleeps',
    declaredIn: 'presence-baseline',
    up: ['alter table frame_watch add column sleeps text', 'alter table frame_watch add column told text'],
  },
];
