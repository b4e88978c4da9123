/**
 * Lists the events of a connection for its integration, in an order that never changes: an event takes its place when it is
 * first asked for, behind all that have one. It is committed by then, so none appears later before a place that was read.
 */
import { z } from 'zod';
import { refuse } from '../../reasons/refusals.ts';
import { type Database, isPostgres, type Transaction, transact } from '../../runtime/database/database.ts';
import { allRows, changeRows, firstRow } from '../../runtime/database/plain-sql.ts';
import { readFact } from '../../runtime/database/service-facts.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import { isId } from '../../runtime/random.ts';
import { storedObject } from '../http/field-shapes.ts';
import { callbackEvent } from './callback-event.ts';
import type { callbacksTables } from './tables.ts';

/** A page of events. */
export const listedEvents = z
  .object({
    events: z.array(callbackEvent).describe('As callbacks tell them, in the order of the list'),
    next: z
      .string()
      .optional()
      .describe('The cursor behind the last of them, for `after`; absent while there was never an event'),
    more: z.boolean().describe('Whether there are more already: ask again at once'),
  })
  .meta({ id: 'ListedEvents' });

/** A connection as it is now: events of its former generations are not listed. */
interface Listing {
  readonly id: string;
  readonly generation: number;
}

type EventRow = RowIn<typeof callbacksTables, 'callback_events'>;
type ListedRow = Pick<EventRow, 'id' | 'body'>;

/**
 * The most events that are given a place in one transaction, of each of the two kinds: more than a page has, and so few that
 * PostgreSQL looks each of them up.
 */
const portion = 600;

/**
 * Reads the events behind a cursor, or from the oldest that is kept.
 * @throws Refusal `cursor-unknown` where events may be missing between the cursor and the oldest that is kept
 */
export async function listEvents(
  db: Database,
  connection: Listing,
  { after, limit }: { readonly after?: string | undefined; readonly limit: number },
): Promise<z.input<typeof listedEvents>> {
  const restoredAt = (await readFact(db, 'restored at')) ?? '';
  const from = after === undefined ? 0 : await placeOf(db, connection, readCursor(after, restoredAt));
  let rows = await eventsBehind(db, connection, from, limit + 1);
  if (rows.length <= limit && (await hasUnlisted(db, connection))) {
    await listMore(db, connection);
    rows = await eventsBehind(db, connection, from, limit + 1);
  }
  const events = rows.slice(0, limit);
  const last = events.at(-1);
  return {
    // The schema of the answer checks what a body holds.
    events: events.map(({ body }) => storedObject(body) as z.input<typeof callbackEvent>),
    next: last === undefined ? after : writeCursor(last.id, restoredAt),
    more: rows.length > limit,
  };
}

/**
 * A cursor names the last event that was read, and the restore after which that was: events may have got other places since a
 * backup, and others may be lost, so that no cursor from before a restore is valid.
 */
function writeCursor(eventId: string, restoredAt: string): string {
  return Buffer.from(`${eventId}.${restoredAt}`).toString('base64url');
}

function readCursor(cursor: string, restoredAt: string): string | undefined {
  const [eventId = '', restore] = Buffer.from(cursor, 'base64url').toString().split('.');
  return restore === restoredAt && isId(eventId) ? eventId : undefined;
}

async function placeOf(db: Database, { id, generation }: Listing, eventId: string | undefined): Promise<number> {
  const sql = 'select listed from callback_events where id = ? and connection_id = ? and generation = ?';
  const row =
    eventId === undefined ? undefined : await firstRow<Pick<EventRow, 'listed'>>(db, sql, [eventId, id, generation]);
  if (row === undefined || row.listed === null) throw refuse('cursor-unknown');
  return row.listed;
}

function eventsBehind(
  db: Database,
  { id, generation }: Listing,
  place: number,
  limit: number,
): Promise<readonly ListedRow[]> {
  return allRows<ListedRow>(
    db,
    `select id, body from callback_events where connection_id = ? and listed is not null and listed > ? and generation = ?
     order by listed limit ${Math.trunc(limit)}`,
    [id, place, generation],
  );
}

const ended = 'connection_id = ? and generation = ? and due_at is null and listed is null';
const waiting = 'connection_id = ? and generation = ? and due_at is not null and listed is null';

async function hasUnlisted(db: Database, { id, generation }: Listing): Promise<boolean> {
  for (const which of [ended, waiting]) {
    const sql = `select id from callback_events where ${which} limit 1`;
    if ((await firstRow(db, sql, [id, generation])) !== undefined) return true;
  }
  return false;
}

/** Gives events that have no place the next ones. On PostgreSQL one that another statement is changing is left for the next time. */
function listMore(db: Database, { id, generation }: Listing): Promise<void> {
  return transact(db, async (trx) => {
    await lockList(trx, id);
    const newest = 'select max(listed) as place from callback_events where connection_id = ? and listed is not null';
    const { place } = (await firstRow<{ place: number | null }>(trx, newest, [id])) ?? { place: null };
    const skips = isPostgres(trx) ? ' for update skip locked' : '';
    const some = (which: string): string =>
      `select id from callback_events where ${which} order by id limit ${portion}${skips}`;
    await changeRows(
      trx,
      `with ended as materialized (${some(ended)}), waiting as materialized (${some(waiting)}),
       both_kinds as (select id from ended union all select id from waiting),
       placed as (select id as placed_id, row_number() over (order by id) as nth from both_kinds)
       update callback_events set listed = ? + nth from placed where id = placed_id`,
      [id, generation, id, generation, place ?? 0],
    );
  });
}

/** One transaction at a time gives places: a page never shows a place before those in front of it can be read. */
async function lockList(trx: Transaction, connectionId: string): Promise<void> {
  const sql = 'select id from connections where id = ?';
  if (isPostgres(trx)) await firstRow(trx, `${sql} for no key update`, [connectionId]);
}
