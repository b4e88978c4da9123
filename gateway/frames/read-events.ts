/** What happened to a frame, read back in the order in which it happened. */
import type { Knex } from 'knex';
import type { Database } from '../runtime/database.ts';
import type { EventType } from './event-log.ts';
import { serialKey } from './registry.ts';

/** An event as it was written down. `at` is epoch milliseconds. */
export interface FrameEvent {
  readonly id: string;
  readonly type: EventType;
  readonly at: number;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Which events: from `from` on, before `before`, of these types or of all, at most `limit`, the oldest first. */
export interface EventRange {
  readonly from: number;
  readonly before: number;
  readonly types: readonly EventType[];
  readonly limit: number;
}

type EventRow = Omit<FrameEvent, 'payload'> & { readonly payload: string };

/** Reads a frame's events. */
export async function readEvents(db: Database, serial: string, range: EventRange): Promise<FrameEvent[]> {
  const query = db('frame_events')
    .where({ serial: serialKey(serial) })
    .where('at', '>=', range.from)
    .where('at', '<', range.before);
  if (range.types.length > 0) query.whereIn('type', [...range.types]);
  const rows = await query.orderBy(['at', 'id']).limit(range.limit).select<EventRow[]>('id', 'type', 'at', 'payload');
  return rows.map(({ payload, ...row }) => ({ ...row, payload: JSON.parse(payload) as Record<string, unknown> }));
}

/** An event with the frame it is of. */
export interface EventOfFrame extends FrameEvent {
  readonly serial: string;
}

/**
 * Reads what happened to several frames from an id on, in the order of ids, which is that of the seconds in which it
 * happened. It costs what happened since, to whichever frame.
 * @param of `serials` selects the frames' serials
 */
export async function eventsSince(
  db: Database,
  of: { readonly serials: Knex.QueryBuilder; readonly after: string; readonly limit: number },
): Promise<EventOfFrame[]> {
  const rows = await db('frame_events')
    .where('id', '>=', of.after)
    // Not by the index of serials, which would be asked for every frame that ever was.
    .whereIn(db.raw("serial || ''") as unknown as string, of.serials)
    .orderBy('id')
    .limit(of.limit)
    .select<(EventRow & { serial: string })[]>('id', 'serial', 'type', 'at', 'payload');
  return rows.map(({ payload, ...row }) => ({ ...row, payload: JSON.parse(payload) as Record<string, unknown> }));
}

/** A frame's events of one type since a time, the newest first. */
const newestOf = (db: Database, serial: string, type: EventType, since: number) =>
  db<EventRow & { serial: string }>('frame_events')
    .where({ serial: serialKey(serial), type })
    .where('at', '>=', since)
    .orderBy('at', 'desc');

/** The last update that a frame reported as failed, since a time. */
export async function lastFailedPicture(
  db: Database,
  serial: string,
  since: number,
): Promise<{ readonly at: number; readonly reason: string } | undefined> {
  const row = await newestOf(db, serial, 'picture', since).whereLike('payload', '{"stage":"failed",%').first();
  if (row === undefined) return undefined;
  const { reason } = JSON.parse(row.payload) as { reason?: unknown };
  return { at: row.at, reason: String(reason) };
}

/** The last alert about a frame since a time, unless it said that the trouble is over. */
export async function lastAlert(
  db: Database,
  serial: string,
  since: number,
): Promise<{ readonly at: number; readonly problem: string } | undefined> {
  const row = await newestOf(db, serial, 'alert', since).first();
  if (row === undefined) return undefined;
  const { problem } = JSON.parse(row.payload) as { problem?: unknown };
  return problem === undefined ? undefined : { at: row.at, problem: String(problem) };
}
