/** Ends the observation of requests after 48 hours. */
import { transact } from '../../gateway/runtime/database.ts';
import { recordEvent } from '../callbacks/announce.ts';
import { isProven } from './confirm-sync.ts';
import type { LineEdges } from './line-edges.ts';
import { countMove, moveDelivery } from './move-delivery.ts';
import { type DeliveryRow, observationWindowMs, openDeliveryStates, type RequestRow } from './states.ts';

/**
 * Closes what is over (INV-44 to INV-46). What is still prepared is weighed in the closing transaction: after a crash
 * nobody remembers that a frame reported in time and was not weighed yet (INV-45).
 */
export async function closeWindows(edges: LineEdges): Promise<void> {
  const { db, clock, random } = edges;
  const now = clock.now();
  const ended = await db<RequestRow>('content_requests')
    .whereIn('state', ['accepted', 'active'])
    .whereNotNull('due_at')
    .where('accepted_at', '<=', now - observationWindowMs);
  for (const request of ended) {
    const moved = await transact(db, async (trx) => {
      const closed = await trx<RequestRow>('content_requests')
        .where({ id: request.id })
        .whereIn('state', ['accepted', 'active'])
        .update({ state: 'closed', due_at: null, updated_at: now });
      if (closed === 0) return [];
      const deliveries = await trx<DeliveryRow>('deliveries').where({ request_id: request.id });
      const moved: ('synced' | 'unconfirmed')[] = [];
      for (const delivery of deliveries.filter(({ state }) => openDeliveryStates.includes(state))) {
        const isSynced = delivery.state === 'prepared' && (await isProven(edges, delivery, now, trx));
        const to = isSynced ? 'synced' : 'unconfirmed';
        if (await moveDelivery(trx, { request, delivery, to }, now, random)) moved.push(to);
      }
      if (deliveries.length === 0) await recordEvent(trx, { request, state: 'unconfirmed' }, now, random);
      return moved;
    });
    for (const state of moved) countMove(edges.meter, state, request, now);
  }
}
