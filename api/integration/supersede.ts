/** What becomes of older requests when newer content is accepted. */
import type { Transaction } from '../../gateway/runtime/database.ts';
import type { Random } from '../../gateway/runtime/random.ts';
import { recordEvent } from '../callbacks/announce.ts';
import { moveDelivery } from '../delivery/move-delivery.ts';
import { type DeliveryRow, openDeliveryStates, type RequestRow, type RequestState } from '../delivery/states.ts';

/** States that newer content ends; `closed` too (D-1), `receiving` not, which decides for itself (D-2). */
const replacedStates: readonly RequestState[] = ['accepted', 'active', 'closed'];

/**
 * Marks all older requests of the paper `superseded`, whosever they are, with their unfinished deliveries, and writes
 * one event for each change (INV-18, INV-19, INV-21, INV-22). Deliveries in a terminal state keep it.
 */
export async function supersedeOlder(
  trx: Transaction,
  newest: { readonly paperId: string; readonly sequence: number },
  now: number,
  random: Random,
): Promise<void> {
  const older = await trx<RequestRow>('content_requests')
    .where({ paper_id: newest.paperId })
    .whereIn('state', replacedStates)
    .where('sequence', '<', newest.sequence)
    .orderBy('sequence');
  for (const request of older) {
    const changed = await trx('content_requests')
      .where({ id: request.id })
      .whereIn('state', replacedStates)
      .update({ state: 'superseded', due_at: null, updated_at: now });
    if (changed !== 1) continue;
    const deliveries = await trx<DeliveryRow>('deliveries')
      .where({ request_id: request.id })
      .whereIn('state', openDeliveryStates)
      .orderBy(['created_at', 'id']);
    for (const delivery of deliveries) {
      await moveDelivery(trx, { request, delivery, to: 'superseded' }, now, random);
    }
    await recordEvent(trx, { request, state: 'superseded' }, now, random);
  }
}
