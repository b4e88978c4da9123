/** Moves one delivery along one edge, with the callback it owes, in the caller's transaction. */
import type { Transaction } from '../../gateway/runtime/database.ts';
import type { Meter } from '../../gateway/runtime/meter.ts';
import type { Random } from '../../gateway/runtime/random.ts';
import { type AnnouncedState, recordEvent } from '../callbacks/announce.ts';
import { type DeliveryRow, type DeliveryState, deliveryEdges, type RequestRow } from './states.ts';

/** States along an edge; `pending` is where deliveries begin. */
export type ReachedState = Exclude<DeliveryState, 'pending'> & AnnouncedState;

/**
 * Compare-and-set: only from a state that has such an edge, so that a late `prepared` cannot touch `synced` (INV-26)
 * and late evidence nothing terminal (INV-27).
 * @param expected further columns that must still hold, e.g. the attempt that owns the work (INV-33)
 * @returns whether this call moved it
 */
export async function moveDelivery(
  trx: Transaction,
  move: {
    readonly request: RequestRow;
    readonly delivery: DeliveryRow;
    readonly to: ReachedState;
    readonly set?: Partial<DeliveryRow>;
    readonly expected?: Partial<DeliveryRow>;
  },
  now: number,
  random: Random,
): Promise<boolean> {
  const from = (Object.keys(deliveryEdges) as DeliveryState[]).filter((state) =>
    deliveryEdges[state].includes(move.to),
  );
  const dueAt = deliveryEdges[move.to].length === 0 ? null : now;
  const moved = await trx<DeliveryRow>('deliveries')
    .where({ id: move.delivery.id, ...move.expected })
    .whereIn('state', from)
    .update({ state: move.to, due_at: dueAt, updated_at: now, ...move.set });
  if (moved === 1) {
    await recordEvent(trx, { request: move.request, delivery: move.delivery, state: move.to }, now, random);
  }
  return moved === 1;
}

/** Counts a delivery that has moved, once that is committed: how often, and how long after its content was accepted. */
export function countMove(
  meter: Meter | undefined,
  state: 'prepared' | 'synced' | 'failed' | 'unconfirmed',
  request: Pick<RequestRow, 'accepted_at'>,
  now: number,
): void {
  meter?.count('papergate_deliveries_total', { state });
  if (state !== 'prepared' && state !== 'synced') return;
  meter?.time(`papergate_${state}_seconds`, (now - request.accepted_at) / 1000, {});
}
