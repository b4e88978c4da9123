/** The status of many frames within the query that lists their devices: `frameStatus` as SQL. */
import { type Database, isPostgres } from '../../runtime/database/database.ts';
import type { SqlPart } from '../../runtime/database/plain-sql.ts';
import { criticalMvSql } from './battery.ts';
import { conflictMs } from './identity-conflict.ts';

/** The parts that extend the query of a list. */
export interface ListedStatus {
  /** SQL of left joins. Their columns have names that no table of devices has. */
  readonly joins: (serialColumn: string) => string;
  /** SQL of `online`, `offline` or `error`; a missing serial, or one without a frame, is offline. */
  readonly status: SqlPart;
}

/**
 * Composes the parts of the query.
 * @param connected serials of the frames that are connected right now, by their registry keys
 */
export function listedStatus(db: Database, connected: readonly string[], now: number): ListedStatus {
  const isConnected = isPostgres(db)
    ? 'frame_serial in (select json_array_elements_text(cast(? as json)))'
    : 'frame_serial in (select value from json_each(?))';
  return {
    joins: (serialColumn) => `
      left join (select serial as frame_serial, last_failure, battery_mv, last_contact_at, asleep_until
        from frames) as listed_frames on frame_serial = ${serialColumn}
      left join (select serial as conflict_serial, since as conflict_since from frame_conflicts) as listed_conflicts
        on conflict_serial = frame_serial`,
    // The grace is that of `graceMs`: a tenth of the announced sleep, rounded up, a minute at least.
    status: {
      sql: `case
        when conflict_since > ? then 'error'
        when last_failure is not null then 'error'
        when battery_mv > 0 and battery_mv < ${criticalMvSql('frame_serial')} then 'error'
        when ${isConnected} then 'online'
        when last_contact_at is null or asleep_until is null then 'offline'
        when asleep_until - last_contact_at > 600000
          then case when ? <= asleep_until + (asleep_until - last_contact_at + 9) / 10 then 'online' else 'offline' end
        when ? <= asleep_until + 60000 then 'online'
        else 'offline'
      end`,
      bindings: [now - conflictMs, JSON.stringify(connected), now, now],
    },
  };
}
