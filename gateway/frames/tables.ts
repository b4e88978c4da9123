/** Frames as the gateway knows them: identity, last report, the cycle they are in, and what was said. */
import { createTable, type Migration } from '../runtime/database.ts';

/**
 * `serial` is lower case, `spelling` is how the frame writes itself (W-35). `reported_version` is what the frame said,
 * `announced_version` the largest it was ever given (INV-32). `cycle_upload` survives reconnect and restart (W-14).
 */
export const frameTables: Migration = {
  name: 'gateway-01-frames',
  async up(db) {
    await createTable(
      db,
      'frames',
      `serial text primary key, spelling text not null, kind text not null, dialect text, activation text not null,
       activated_answer_at integer, password_hash text, sleep_seconds integer not null,
       reported_version integer not null, announced_version integer not null, picture_synced integer,
       glass_sha256 text, firmware text, panel text, battery_mv integer, rssi integer, orientation integer, wake text,
       boot integer, last_contact_at integer, last_full_wake_at integer, asleep_until integer, cycle_upload text,
       cycle_started_at integer, last_failure text, created_at integer not null, updated_at integer not null`,
    );
    await createTable(
      db,
      'frame_certificates',
      `fingerprint text primary key, serial text not null references frames(serial), created_at integer not null,
       expires_at integer not null, revoked_at integer`,
    );
    await createTable(
      db,
      'frame_events',
      `id text primary key, serial text not null, type text not null, at integer not null, payload text not null`,
    );
    await db.raw('create index frame_events_by_serial on frame_events (serial, at)');
  },
};
