/** Reads what changed since a moment: events of frames, moves of deliveries, and rows of devices and papers. */

import { type EventType, eventTypes } from '../../gateway/frames/event-log.ts';
import { wordedFacts } from '../../reasons/words.ts';
import { isoTime } from '../../runtime/clock.ts';
import type { Database } from '../../runtime/database/database.ts';
import { allRows } from '../../runtime/database/plain-sql.ts';
import { viewersOfDevices } from '../access/links.ts';
import { storedObject } from '../http/field-shapes.ts';

/** A type of a frame's event, or `delivery`. */
export const changeTypes = [...eventTypes, 'delivery'] as const;

/** A change of a device, as a caller sees it. */
export interface PublishedChange {
  readonly id: string;
  readonly at: string;
  readonly deviceId: string;
  readonly name: string;
  readonly type: EventType | 'delivery';
  readonly payload: Record<string, unknown>;
}

/** Those who may see a change: anyone who sees the whole organization, and these users to whom it is linked. */
export interface Audience {
  readonly organizationId: string;
  readonly viewers: readonly string[];
  /** The viewers are notified only if their role shows them papers. */
  readonly isPaper?: boolean;
}

/** A change, and who may be notified. */
export interface OwnedChange {
  readonly change: PublishedChange;
  readonly audience: Audience;
}

/** The most ids that one statement names. */
const named = 500;

interface OwnedRow {
  readonly id: string;
  readonly device_id: string;
  readonly name: string;
  readonly organization_id: string;
}

/** Returns who may see what happened on each row's device. */
async function audiences(db: Database, rows: readonly OwnedRow[]): Promise<(row: OwnedRow) => Audience> {
  const viewers = await viewersOfDevices(
    db,
    rows.map(({ device_id }) => device_id),
  );
  return ({ device_id, organization_id: organizationId }) => ({
    organizationId,
    viewers: viewers.get(device_id) ?? [],
  });
}

/** Ids of the rows of a log from an id on, in their order. Ids begin with the second in which they were made. */
export async function idsSince(
  db: Database,
  log: 'frame_events' | 'callback_events',
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await allRows<{ id: string }>(db, `select id from ${log} where id >= ? order by id limit ?`, [
    after,
    limit,
  ]);
  return rows.map(({ id }) => id);
}

/** Reads events of frames by their ids, those alone that happened under the present owner (T-63). */
export function eventsOfIds(db: Database, ids: readonly string[]): Promise<OwnedChange[]> {
  return inParts(ids, async (some) => {
    const rows = await allRows<OwnedRow & { type: EventType; at: number; payload: string }>(
      db,
      `select frame_events.id, frame_events.type, frame_events.at, frame_events.payload,
         devices.id as device_id, devices.name, devices.organization_id
       from frame_events
         join frames on frames.serial = frame_events.serial and frames.ownership = frame_events.ownership
         join devices on devices.serial = frame_events.serial
       where frame_events.id in (${some.map(() => '?').join(', ')}) order by frame_events.id`,
      some,
    );
    const audienceOf = await audiences(db, rows);
    return rows.map((row) => {
      const { id, type, at, payload, device_id: deviceId, name } = row;
      const facts = { ...wordedFacts(JSON.parse(payload)) };
      return { change: { id, at: isoTime(at), deviceId, name, type, payload: facts }, audience: audienceOf(row) };
    });
  });
}

/**
 * Reads deliveries' moves from their callbacks: every move writes one in the same transaction (INV-60). A device that
 * moved took none of its deliveries along (T-16).
 */
export function deliveriesOfIds(db: Database, ids: readonly string[]): Promise<OwnedChange[]> {
  return inParts(ids, async (some) => {
    const rows = await allRows<OwnedRow & { body: string; created_at: number; paper_id: string }>(
      db,
      `select callback_events.id, callback_events.body, callback_events.created_at, deliveries.device_id,
         deliveries.frame_name as name, deliveries.paper_id, devices.organization_id
       from callback_events join deliveries on deliveries.id = callback_events.delivery_id
         join devices on devices.id = deliveries.device_id join papers on papers.id = deliveries.paper_id
       where papers.organization_id = devices.organization_id
         and callback_events.id in (${some.map(() => '?').join(', ')}) order by callback_events.id`,
      some,
    );
    const audienceOf = await audiences(db, rows);
    return rows.map((row) => {
      const { id, body, created_at, device_id: deviceId, name, paper_id: paper } = row;
      const { state, messageId } = storedObject(body);
      const payload = { state, paper, messageId };
      const change = { id, at: isoTime(created_at), deviceId, name, type: 'delivery' as const, payload };
      return { change, audience: audienceOf(row) };
    });
  });
}

async function inParts(
  ids: readonly string[],
  read: (some: readonly string[]) => Promise<OwnedChange[]>,
): Promise<OwnedChange[]> {
  const all: OwnedChange[] = [];
  for (let start = 0; start < ids.length; start += named) all.push(...(await read(ids.slice(start, start + named))));
  return all;
}
