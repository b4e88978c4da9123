/** The event log of frames, which is append-only. */
import type { Database } from '../../runtime/database.ts';
import { changeRows } from '../../runtime/plain-sql.ts';
import type { Random } from '../../runtime/random.ts';
import { serialKey } from './registry.ts';

/** The types of events. */
export const eventTypes = [
  'connect',
  'disconnect',
  'hello',
  'activate',
  'state',
  'picture',
  'command',
  'settings',
  'battery',
  'log',
  'firmware',
  'alert',
] as const;
export type EventType = (typeof eventTypes)[number];

/** Records one event. Payloads hold facts for people and never a secret. */
export async function recordFrameEvent(
  db: Database,
  random: Random,
  event: { serial: string; type: EventType; at: number; payload: Record<string, unknown> },
): Promise<void> {
  const { type, at } = event;
  const serial = serialKey(event.serial);
  // T-63: the event is shown to the frame's present owner. An event of an unknown frame is shown to nobody.
  await changeRows(
    db,
    `insert into frame_events (id, serial, type, at, payload, ownership)
     values (?, ?, ?, ?, ?, coalesce((select ownership from frames where serial = ?), 0))`,
    [random.id(), serial, type, at, JSON.stringify(event.payload), serial],
  );
}
