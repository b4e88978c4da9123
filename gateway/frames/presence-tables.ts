/** The tables of the presence watch, of the batteries day by day, and of identity conflicts. */
import type { Migration } from '../../runtime/database.ts';
import type { FrameRow } from './registry.ts';

/** A row of `frame_watch`. Times are epoch milliseconds. */
export interface WatchRow {
  serial: string;
  due_at: number | null;
  overdue_since: number | null;
  excused: number;
  slept_at: number | null;
  announced_until: number | null;
  periods: string;
  battery_level: string | null;
}

/** A frame with its watch, each as it was before the wake. */
export interface WatchedFrame {
  readonly frame: FrameRow;
  readonly watch: WatchRow | undefined;
}

/**
 * `due_at` is the time at which silence becomes an outage, and `overdue_since` is set while an outage lasts. `excused`
 * is set when the frame was granted one more sleep, because the service itself had been away. `slept_at` and
 * `announced_until` are the bounds of the last announced sleep. `periods` are the real lengths of the last sleeps, as
 * parts of the announced lengths (JSON numbers).
 */
const presence: Migration = {
  name: 'gateway-04-presence',
  up: [
    `create table frame_watch (serial text primary key references frames(serial), due_at integer, overdue_since integer, excused integer not null,
       slept_at integer, announced_until integer, periods text not null, battery_level text)`,
    'create index frame_watch_due on frame_watch (due_at)',
    `insert into frame_watch (serial, due_at, excused, periods)
       select serial, asleep_until, 0, '[]' from frames where asleep_until is not null`,
    `create table battery_days (serial text not null references frames(serial), day integer not null, samples integer not null,
       min_mv integer not null, sum_mv integer not null, primary key (serial, day))`,
    `create table frame_conflicts (serial text primary key references frames(serial), since integer not null, problem text not null)`,
  ],
};

/** This index counts the overdue frames without reading the others. */
const overdueIndex: Migration = {
  name: 'gateway-08-overdue',
  up: ['create index frame_watch_overdue on frame_watch (overdue_since) where overdue_since is not null'],
};

/** This index serves the query for the frames that are expected soon, which runs every half minute. */
const wakeIndex: Migration = {
  name: 'gateway-09-frames-by-wake',
  up: ['create index frames_by_wake on frames (asleep_until) where asleep_until is not null'],
};

export const presenceTables: readonly Migration[] = [presence, overdueIndex, wakeIndex];
