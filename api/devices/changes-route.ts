/** The route behind `papergate watch`: what has just changed, of everything that the caller may see, in one answer. */
import { z } from 'zod';
import { type EventOfFrame, eventsSince } from '../../gateway/frames/read-events.ts';
import { isoTime } from '../../gateway/runtime/clock.ts';
import type { Database } from '../../gateway/runtime/database.ts';
import { earliestId } from '../../gateway/runtime/random.ts';
import type { Principal } from '../directory/principal.ts';
import { noParams, storedObject } from '../http/field-shapes.ts';
import { type AnyRoute, route } from '../http/route.ts';
import type { DeviceEdges } from './device-edges.ts';
import { type DeviceRow, seenBy } from './store.ts';

/** Changes of either sort in one answer; who is told that there are more asks again at once. */
const mostChanges = 500;
/** How far back is looked: reading costs what happened since, on all frames of the service. */
const longestLookBackMs = 10 * 60_000;
/** What was written down before an answer may be committed after it: the next question reaches back so far. */
const overlapMs = 10_000;

const changeShown = z.object({
  /** The same change always has the same id: answers overlap. */
  id: z.string(),
  at: z.string(),
  deviceId: z.string(),
  name: z.string(),
  /** A type of event, or `delivery`. */
  type: z.string(),
  payload: z.record(z.string(), z.unknown()),
});

const changesShown = z.object({
  /** Who asks, as their roles. */
  as: z.array(z.object({ organization: z.string(), role: z.string() })),
  changes: z.array(changeShown),
  /** What to ask for next, as `after`. */
  next: z.string(),
  hasMore: z.boolean(),
});

type Change = z.input<typeof changeShown>;

/** A row that was read, with what the caller may see of it. */
interface ReadChange {
  readonly id: string;
  readonly change: Change | undefined;
}

export type ChangesShown = z.input<typeof changesShown>;

/** The route. */
export function changesRoute(edges: DeviceEdges): AnyRoute {
  const { database: db, clock } = edges;
  return route({
    method: 'GET',
    path: '/changes/',
    summary: `What changed after the answer before, within ${longestLookBackMs / 60_000} minutes: events of frames, and deliveries`,
    access: 'person',
    status: 200,
    params: noParams,
    query: z.object({
      after: z
        .string()
        .regex(/^[0-9a-f]{8,24}$/, 'expected what an answer called next')
        .optional(),
    }),
    output: changesShown,
    async handle({ query, principal }) {
      const now = clock.now();
      const earliest = earliestId(now - longestLookBackMs);
      const after = query.after === undefined ? earliestId(now) : query.after < earliest ? earliest : query.after;
      const found = [await framesChanged(db, principal, after), await deliveriesChanged(db, principal, after)];
      // A full list goes on at its last id: within a second ids have no order of time, but they have one of their own.
      const rest = found.filter(({ length }) => length === mostChanges).map((rows) => rows.at(-1)?.id ?? after);
      return {
        as: principal.memberships.map(({ organizationId, role }) => ({ organization: organizationId, role })),
        changes: found
          .flat()
          .flatMap(({ change }) => change ?? [])
          .sort((a, b) => (a.at < b.at ? -1 : 1)),
        next: rest.sort()[0] ?? earliestId(now - overlapMs),
        hasMore: rest.length > 0,
      };
    },
  });
}

async function framesChanged(db: Database, principal: Principal, after: string): Promise<ReadChange[]> {
  const own = seenBy(principal);
  const seen = () =>
    db<DeviceRow>('devices')
      .whereRaw(`(${own.sql})`, [...own.bindings] as string[])
      .whereNotNull('serial');
  const events = await eventsSince(db, { serials: seen().select('serial'), after, limit: mostChanges });
  const serials = [...new Set(events.map(({ serial }) => serial))];
  const devices = await seen().whereIn('serial', serials);
  const bySerial = new Map(devices.map((device) => [device.serial, device]));
  return events.map(({ id, at, type, payload, serial }: EventOfFrame) => {
    const device = bySerial.get(serial);
    // T-16: what the frame lived through with its owner before is not theirs to read.
    if (device === undefined || at < device.created_at) return { id, change: undefined };
    const { id: deviceId, name } = device;
    return { id, change: { id, at: isoTime(at), deviceId, name, type, payload: { ...payload } } };
  });
}

/** Every move of a delivery writes its callback in the same transaction (INV-60), under an id that begins with its time. */
async function deliveriesChanged(db: Database, principal: Principal, after: string): Promise<ReadChange[]> {
  const own = seenBy(principal);
  const rows: {
    id: string;
    body: string;
    created_at: number;
    device_id: string;
    frame_name: string;
    paper_id: string;
  }[] = await db('callback_events')
    .join('deliveries', 'deliveries.id', 'callback_events.delivery_id')
    .join('devices', 'devices.id', 'deliveries.device_id')
    .join('papers', 'papers.id', 'deliveries.paper_id')
    .where('callback_events.id', '>=', after)
    // T-16: a device that moved took none of its deliveries along.
    .whereRaw('papers.organization_id = devices.organization_id')
    .whereIn(
      'devices.id',
      db('devices')
        .whereRaw(`(${own.sql})`, [...own.bindings] as string[])
        .select('id'),
    )
    .orderBy('callback_events.id')
    .limit(mostChanges)
    .select(
      ...['callback_events.id', 'callback_events.body', 'callback_events.created_at'],
      ...['deliveries.device_id', 'deliveries.frame_name', 'deliveries.paper_id'],
    );
  return rows.map(({ id, body, created_at, device_id, frame_name, paper_id }) => {
    const { state, messageId } = storedObject(body);
    const payload = { state, paper: paper_id, messageId };
    const change = { id, at: isoTime(created_at), deviceId: device_id, name: frame_name, type: 'delivery', payload };
    return { id, change };
  });
}
