/** Ends the observation of requests after 48 hours. */
import { transact } from '../../gateway/runtime/database.ts';
import { recordEvent } from '../callbacks/announce.ts';
import type { LineEdges } from './line-edges.ts';
import { countMove, moveDelivery } from './move-delivery.ts';
import { type DeliveryRow, observationWindowMs, openDeliveryStates, type RequestRow } from './states.ts';

/** Closes what is over (INV-44 to INV-46). Evidence was weighed before, in the same pass (INV-45). */
export async function closeWindows(edges: LineEdges): Promise<void> {
  const { db, clock, random } = edges;
  const now = clock.now();
  const ended = await db<RequestRow>('content_requests')
    .whereIn('state', ['accepted', 'active'])
    .whereNotNull('due_at')
    .where('accepted_at', '<=', now - observationWindowMs);
  for (const request of ended) {
    const unconfirmed = await transact(db, async (trx) => {
      const closed = await trx<RequestRow>('content_requests')
        .where({ id: request.id })
        .whereIn('state', ['accepted', 'active'])
        .update({ state: 'closed', due_at: null, updated_at: now });
      if (closed === 0) return 0;
      const deliveries = await trx<DeliveryRow>('deliveries').where({ request_id: request.id });
      let moved = 0;
      for (const delivery of deliveries.filter(({ state }) => openDeliveryStates.includes(state))) {
        if (await moveDelivery(trx, { request, delivery, to: 'unconfirmed' }, now, random)) moved++;
      }
      if (deliveries.length === 0) await recordEvent(trx, { request, state: 'unconfirmed' }, now, random);
      return moved;
    });
    for (let count = 0; count < unconfirmed; count++) countMove(edges.meter, 'unconfirmed', request, now);
  }
}
