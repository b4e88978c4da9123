/** Ends older requests when newer content is accepted. */
import type { Transaction } from '../../runtime/database/database.ts';
import { allRows } from '../../runtime/database/plain-sql.ts';
import type { Random } from '../../runtime/random.ts';
import { oweCallback } from '../callbacks/owe-callback.ts';
import { moveDelivery } from '../delivery-state/move-delivery.ts';
import { type DeliveryRow, type OpenRequest, openDeliveryStates, type RequestState } from '../delivery-state/states.ts';

/** States that newer content ends; `closed` too (D-1). A request that is `receiving` sees to it when it is accepted. */
const replacedStates: readonly RequestState[] = ['accepted', 'active', 'closed'];

const listed = (states: readonly string[]): string => `(${states.map((state) => `'${state}'`).join(', ')})`;

/**
 * Marks all older requests of the paper `superseded`, whosever they are, with their unfinished deliveries, and writes
 * one event for each change (INV-19). Deliveries in a terminal state keep it.
 */
export async function supersedeOlder(
  trx: Transaction,
  newest: { readonly paperId: string; readonly sequence: number },
  now: number,
  random: Random,
): Promise<void> {
  const older = await allRows<OpenRequest>(
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
    await oweCallback(trx, { request, state: 'superseded' }, now, random);
  }
}
