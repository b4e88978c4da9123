/** What happened to a frame, append-only. */
import type { Database } from '../runtime/database.ts';
import { insertRow } from '../runtime/plain-sql.ts';
import type { Random } from '../runtime/random.ts';
import { serialKey } from './registry.ts';

/** The kinds of event. */
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

/** Writes one event down. Payloads hold facts for people and never a secret. */
export async function recordEvent(
  db: Database,
  random: Random,
  event: { serial: string; type: EventType; at: number; payload: Record<string, unknown> },
): Promise<void> {
  const { type, at } = event;
  const row = { id: random.id(), serial: serialKey(event.serial), type, at, payload: JSON.stringify(event.payload) };
  await insertRow(db, 'frame_events', row);
}
