/** What becomes of older requests when newer content is accepted. */
import type { Transaction } from '../../gateway/runtime/database.ts';
import { allRows } from '../../gateway/runtime/plain-sql.ts';
import type { Random } from '../../gateway/runtime/random.ts';
import { recordEvent } from '../callbacks/announce.ts';
import { moveDelivery } from '../delivery/move-delivery.ts';
import { type DeliveryRow, openDeliveryStates, type RequestRow, type RequestState } from '../delivery/states.ts';

/** States that newer content ends; `closed` too (D-1), `receiving` not, which decides for itself (D-2). */
const replacedStates: readonly RequestState[] = ['accepted', 'active', 'closed'];

const listed = (states: readonly string[]): string => `(${states.map((state) => `'${state}'`).join(', ')})`;

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
  const older = await allRows<RequestRow>(
    trx,
    `update content_requests set state = 'superseded', due_at = null, updated_at = ?
     where paper_id = ? and state in ${listed(replacedStates)} and sequence < ? returning *`,
    [now, newest.paperId, newest.sequence],
  );
  for (const request of [...older].sort((one, other) => one.sequence - other.sequence)) {
    const deliveries = await allRows<DeliveryRow>(
      trx,
      `select * from deliveries where request_id = ? and state in ${listed(openDeliveryStates)} order by created_at, id`,
      [request.id],
    );
    for (const delivery of deliveries) {
      await moveDelivery(trx, { request, delivery, to: 'superseded' }, now, random);
    }
    await recordEvent(trx, { request, state: 'superseded' }, now, random);
  }
}
