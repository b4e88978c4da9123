/** Writes the callbacks that a change owes, in the transaction of the change itself. */
import type { Grade } from '../../gateway/frames/grades.ts';
import { isoTime } from '../../runtime/clock.ts';
import type { Transaction } from '../../runtime/database/database.ts';
import { insertRow } from '../../runtime/database/plain-sql.ts';
import type { Random } from '../../runtime/random.ts';
import { type CallbackState, writeCallback } from './callback-event.ts';

/** The subject of an event. With a delivery it is a frame's event, without one the paper's. Field names are columns. */
export interface OwedCallback {
  readonly request: {
    readonly id: string;
    readonly connection_id: string;
    readonly generation: number;
    readonly paper_id: string;
    readonly message_id: string;
  };
  readonly delivery?: { readonly id: string; readonly device_id: string; readonly frame_name: string };
  readonly state: CallbackState;
  /** How well it is proven that a frame shows the content; undefined for the paper, and where nothing was offered. */
  readonly grade?: Grade | undefined;
  /** When the oldest source of the picture answered, epoch milliseconds; undefined where it has none. */
  readonly dataAt?: number | undefined;
}

/** Records one event, due at once. The body is fixed here, so that every attempt sends the same bytes (INV-59). */
export async function oweCallback(
  trx: Transaction,
  { request, delivery, state, grade, dataAt }: OwedCallback,
  now: number,
  random: Random,
): Promise<void> {
  const id = random.id();
  const body = writeCallback({
    eventId: id,
    connectionId: request.connection_id,
    paperId: request.paper_id,
    requestId: request.id,
    messageId: request.message_id,
    state,
    ...(delivery && { deviceId: delivery.device_id, frameName: delivery.frame_name }),
    ...(grade && { grade }),
    ...(dataAt !== undefined && { dataAt: isoTime(dataAt) }),
    occurredAt: isoTime(now),
  });
  await insertRow(trx, 'callback_events', {
    id,
    connection_id: request.connection_id,
    generation: request.generation,
    request_id: request.id,
    delivery_id: delivery?.id ?? null,
    state,
    body,
    attempts: 0,
    due_at: now,
    created_at: now,
    delivered_at: null,
    problem: null,
  });
}
