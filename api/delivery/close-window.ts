/** Ends the observation of requests after 48 hours. */
import { transact } from '../../runtime/database/database.ts';
import { oweCallback } from '../callbacks/owe-callback.ts';
import { countMove, moveDelivery } from '../delivery-state/move-delivery.ts';
import {
  type DeliveryRow,
  type OpenRequest,
  observationWindowMs,
  openDeliveryStates,
} from '../delivery-state/states.ts';
import { isProven } from './confirm-sync.ts';
import type { LineDeps } from './line-deps.ts';

/**
 * Closes requests whose window is over. Deliveries that are still prepared are weighed in the closing transaction:
 * after a crash nobody remembers that a frame reported in time and was not weighed yet (INV-45).
 */
export async function closeWindows(deps: LineDeps): Promise<void> {
  const { db, clock, random } = deps;
  const now = clock.now();
  const ended = await db<OpenRequest>('content_requests')
    .whereIn('state', ['accepted', 'active'])
    .whereNotNull('due_at')
    .where('accepted_at', '<=', now - observationWindowMs);
  for (const request of ended) {
    const moved = await transact(db, async (trx) => {
      const closed = await trx<OpenRequest>('content_requests')
        .where({ id: request.id })
        .whereIn('state', ['accepted', 'active'])
        .update({ state: 'closed', due_at: null, updated_at: now });
      if (closed === 0) return [];
      const deliveries = await trx<DeliveryRow>('deliveries').where({ request_id: request.id });
      const moved: ('synced' | 'unconfirmed')[] = [];
      for (const delivery of deliveries.filter(({ state }) => openDeliveryStates.includes(state))) {
        const isSynced = delivery.state === 'prepared' && (await isProven(deps, delivery, now, trx));
        const to = isSynced ? 'synced' : 'unconfirmed';
        if (await moveDelivery(trx, { request, delivery, to }, now, random)) moved.push(to);
      }
      if (deliveries.length === 0) await oweCallback(trx, { request, state: 'unconfirmed' }, now, random);
      return moved;
    });
    for (const state of moved) countMove(deps.meter, state, request, now);
  }
}
