/** Deletes old events of connections. */
import type { Database } from '../../runtime/database/database.ts';

/**
 * Deletes the events that were written by this time (epoch milliseconds), but the newest in the list of each connection that
 * may go on: the integration has its cursor from there, and it stays valid however long nothing happens.
 * @returns how many
 */
export function forgetEvents(db: Database, until: number): Promise<number> {
  const newest = `(select max(newer.listed) from callback_events as newer
    where newer.connection_id = callback_events.connection_id and newer.listed is not null)`;
  const goesOn = '(select id from connections where revoked_at is null and changed_at is null)';
  return db('callback_events')
    .where('created_at', '<=', until)
    .whereRaw(`(listed is null or listed < ${newest} or connection_id not in ${goesOn})`)
    .delete();
}
