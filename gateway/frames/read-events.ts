/** Reads the events of frames, in the order in which they happened. */

import type { Knex } from 'knex';
import { type Because, type Reasons, readReason } from '../../reasons/reason.ts';
import type { Database } from '../../runtime/database/database.ts';
import { earliestId } from '../../runtime/random.ts';
import type { EventType } from './event-log.ts';
import { serialKey } from './registry.ts';

/** A recorded event. `at` is epoch milliseconds. */
export interface FrameEvent {
  readonly id: string;
  readonly type: EventType;
  readonly at: number;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** A selection of events: from `from` on, before `before`, of these types or of all, at most `limit`, oldest first. */
export interface EventRange {
  readonly from: number;
  readonly before: number;
  readonly types: readonly EventType[];
  readonly limit: number;
}

/** SQL condition on `frame_events`: the event happened while the frame was its present owner's (T-63). */
const ofOwner = 'frame_events.ownership = (select ownership from frames where frames.serial = frame_events.serial)';

/**
 * Returns a text that sorts before every id of an event since a moment: PostgreSQL looks into no table of earlier days then.
 * Ids are made by the clock of a machine, which may be ten seconds off the one by which nodes work.
 */
const idsFrom = (from: number): string => earliestId(from - 600_000);

type EventRow = Omit<FrameEvent, 'payload'> & { readonly payload: string };

/** Reads a frame's events. */
export async function readEvents(db: Database, serial: string, range: EventRange): Promise<FrameEvent[]> {
  const query = db('frame_events')
    .where({ serial: serialKey(serial) })
    .whereRaw(ofOwner)
    .where('id', '>=', idsFrom(range.from))
    .where('at', '>=', range.from)
    .where('at', '<', range.before);
  if (range.types.length > 0) query.whereIn('type', [...range.types]);
  const rows = await query.orderBy(['at', 'id']).limit(range.limit).select<EventRow[]>('id', 'type', 'at', 'payload');
  return rows.map(({ payload, ...row }) => ({ ...row, payload: JSON.parse(payload) as Record<string, unknown> }));
}

/** When the newest event of any frame happened, by the clock of the service; undefined where there is none. */
export async function newestEventAt(db: Database): Promise<number | undefined> {
  const row = await db<EventRow>('frame_events').orderBy('id', 'desc').first('at');
  return row?.at;
}

/** An event with the serial of its frame. */
export interface EventOfFrame extends FrameEvent {
  readonly serial: string;
}

/**
 * Reads the events of several frames from an id on, in the order of ids, which is the order of the seconds in which they
 * happened. The cost grows with the number of events since, of all frames.
 * @param of `serials` selects the frames' serials
 */
export async function eventsSince(
  db: Database,
  of: { readonly serials: Knex.QueryBuilder; readonly after: string; readonly limit: number },
): Promise<EventOfFrame[]> {
  const rows = await db('frame_events')
    .where('id', '>=', of.after)
    // The expression keeps the database from the index of serials, which it would search for every frame there ever was.
    .whereIn(db.raw("serial || ''") as unknown as string, of.serials)
    .whereRaw(ofOwner)
    .orderBy('id')
    .limit(of.limit)
    .select<(EventRow & { serial: string })[]>('id', 'serial', 'type', 'at', 'payload');
  return rows.map(({ payload, ...row }) => ({ ...row, payload: JSON.parse(payload) as Record<string, unknown> }));
}

/** Selects a frame's events of one type since a time, the newest first. */
const newestOf = (db: Database, serial: string, type: EventType, since: number) =>
  db<EventRow & { serial: string }>('frame_events')
    .where({ serial: serialKey(serial), type })
    .where('id', '>=', idsFrom(since))
    .where('at', '>=', since)
    .orderBy('at', 'desc');

/** Reads the last update that a frame reported as failed while it was its present owner's. */
export async function lastFailedPicture(
  db: Database,
  serial: string,
): Promise<{ readonly at: number; readonly reasons: Reasons } | undefined> {
  const row = await newestOf(db, serial, 'picture', 0)
    .whereRaw(ofOwner)
    .whereLike('payload', '{"stage":"failed",%')
    .first();
  if (row === undefined) return undefined;
  const { reason } = JSON.parse(row.payload) as { reason?: unknown };
  return { at: row.at, reasons: [readReason(reason) ?? String(reason)] };
}

/**
 * Reads the last alert about a frame since a time, unless that alert ended the trouble. It is for the operator, so the
 * owner of the time does not matter.
 */
export async function lastAlert(
  db: Database,
  serial: string,
  since: number,
): Promise<{ readonly at: number; readonly problem: Because } | undefined> {
  const row = await newestOf(db, serial, 'alert', since).first();
  if (row === undefined) return undefined;
  const { problem } = JSON.parse(row.payload) as { problem?: unknown };
  return problem === undefined ? undefined : { at: row.at, problem: readReason(problem) ?? String(problem) };
}
