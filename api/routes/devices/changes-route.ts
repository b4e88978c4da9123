/** The route behind `papergate watch`: the latest changes of everything that the caller may see, in one answer. */

import { z } from 'zod';
import { type EventOfFrame, eventsSince } from '../../../gateway/frames/read-events.ts';
import { wordedFacts } from '../../../reasons/words.ts';
import { isoTime } from '../../../runtime/clock.ts';
import type { Database } from '../../../runtime/database/database.ts';
import { earliestId } from '../../../runtime/random.ts';
import { type Principal, roles } from '../../access/principal.ts';
import { maxLookBackMs, overlapMs } from '../../changes/look.ts';
import { changeTypes } from '../../changes/read-changes.ts';
import { seenBy } from '../../devices/list-devices.ts';
import type { DeviceRow } from '../../devices/store.ts';
import { storedObject } from '../../http/field-shapes.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import type { DeviceDeps } from './device-deps.ts';

/** The number of changes of either sort in one answer. A caller that is shown that there are more asks again at once. */
const maxChanges = 500;

export const changeShown = z.object({
  /** The same change always has the same id, because answers overlap. */
  id: z.string(),
  at: z.string(),
  deviceId: z.string(),
  name: z.string(),
  /** A type of a frame's event, or `delivery`. */
  type: z.enum(changeTypes),
  payload: z.record(z.string(), z.unknown()),
});

const changesShown = z.object({
  /** The caller's roles. */
  as: z.array(z.object({ organization: z.string(), role: z.enum(roles) })),
  changes: z.array(changeShown),
  /** The value of `after` for the next question. */
  next: z.string(),
  hasMore: z.boolean(),
});

type Change = z.input<typeof changeShown>;

/** A row that was read, and the change in it if the caller may see it. */
interface ReadChange {
  readonly id: string;
  readonly change: Change | undefined;
}

export function changesRoute(deps: DeviceDeps): AnyRoute {
  const { db, clock } = deps;
  return route('GET /changes/', {
    summary: `What changed after the answer before, within ${maxLookBackMs / 60_000} minutes: events of frames, and deliveries`,
    query: z.object({
      after: z
        .string()
        .regex(/^[0-9a-f]{8,24}$/, 'expected what an answer called next')
        .optional(),
    }),
    output: changesShown,
    async handle({ query, principal }) {
      const now = clock.now();
      const earliest = earliestId(now - maxLookBackMs);
      const after = query.after === undefined ? earliestId(now) : query.after < earliest ? earliest : query.after;
      const found = [await framesChanged(db, principal, after), await deliveriesChanged(db, principal, after)];
      // After a full list the next answer begins at its last id: ids of one second are not ordered by time, but they
      // are ordered.
      const rest = found.filter(({ length }) => length === maxChanges).map((rows) => rows.at(-1)?.id ?? after);
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
  const events = await eventsSince(db, { serials: seen().select('serial'), after, limit: maxChanges });
  const serials = [...new Set(events.map(({ serial }) => serial))];
  const devices = await seen().whereIn('serial', serials);
  const bySerial = new Map(devices.map((device) => [device.serial, device]));
  return events.map(({ id, at, type, payload, serial }: EventOfFrame) => {
    const device = bySerial.get(serial);
    if (device === undefined) return { id, change: undefined };
    const { id: deviceId, name } = device;
    return { id, change: { id, at: isoTime(at), deviceId, name, type, payload: { ...wordedFacts(payload) } } };
  });
}

/**
 * Reads deliveries' moves from their callbacks: every move writes one in the same transaction (INV-60), under an id
 * that begins with its time.
 */
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
    // A device that moved took none of its deliveries along (T-16).
    .whereRaw('papers.organization_id = devices.organization_id')
    .whereIn(
      'devices.id',
      db('devices')
        .whereRaw(`(${own.sql})`, [...own.bindings] as string[])
        .select('id'),
    )
    .orderBy('callback_events.id')
    .limit(maxChanges)
    .select(
      'callback_events.id',
      'callback_events.body',
      'callback_events.created_at',
      'deliveries.device_id',
      'deliveries.frame_name',
      'deliveries.paper_id',
    );
  return rows.map(({ id, body, created_at, device_id, frame_name, paper_id }) => {
    const { state, messageId } = storedObject(body);
    const payload = { state, paper: paper_id, messageId };
    const change = {
      id,
      at: isoTime(created_at),
      deviceId: device_id,
      name: frame_name,
      type: 'delivery' as const,
      payload,
    };
    return { id, change };
  });
}
