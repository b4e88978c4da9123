/** The event log of frames, which is append-only. */
import type { Database } from '../../runtime/database/database.ts';
import { changeRows } from '../../runtime/database/plain-sql.ts';
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

/**
 * How far something came, where an event states that. A report that does not count has the doubt before its stage: it
 * is doubted, stale, or of a connection that another one superseded.
 */
export const eventStages = [
  'answered',
  'covered',
  'doubted',
  'doubted failed',
  'doubted fetched',
  'doubted fetching',
  'doubted restarting',
  'doubted shown',
  'expired',
  'failed',
  'fetched',
  'fetching',
  'key given',
  'key given again',
  'lost',
  'offered',
  'overdue',
  'queued',
  'recovered',
  'refused',
  'registered',
  'released',
  'reset on the frame',
  'restarting',
  'sent',
  'set up',
  'settings restored',
  'shown',
  'stale failed',
  'stale fetched',
  'stale fetching',
  'stale restarting',
  'stale shown',
  'stray reply',
  'superseded failed',
  'superseded fetched',
  'superseded shown',
  'taken',
  'told',
  'told again',
  'unanswered',
  'unchanged',
  'updated',
  'wished',
] as const;
export type EventStage = (typeof eventStages)[number];

/** The facts of an event, for people: never a secret. */
export type EventFacts = Record<string, unknown> & { readonly stage?: EventStage };

/** Records one event. */
export async function recordFrameEvent(
  db: Database,
  random: Random,
  event: { serial: string; type: EventType; at: number; payload: EventFacts },
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
