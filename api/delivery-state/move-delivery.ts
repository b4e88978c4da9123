/** Moves one delivery along one transition, with the callback it owes, in the caller's transaction. */
import type { Grade } from '../../gateway/frames/grades.ts';
import { gradeOf, type UploadRow } from '../../gateway/pictures/upload-row.ts';
import type { Transaction } from '../../runtime/database/database.ts';
import { firstRow } from '../../runtime/database/plain-sql.ts';
import type { Random } from '../../runtime/random.ts';
import type { FrameState } from '../callbacks/callback-event.ts';
import { oweCallback } from '../callbacks/owe-callback.ts';
import { oldestAnswer, readSources } from '../devices/data-sources.ts';
import type { DeliveryMeter } from './delivery-measures.ts';
import {
  type countedStates,
  type DeliveryRow,
  deliveryStates,
  deliveryTransitions,
  type OpenRequest,
} from './states.ts';

/**
 * Moves the delivery by compare-and-set, only from a state that has such a transition: a late `prepared` cannot touch
 * `synced` (INV-26), and late evidence nothing terminal.
 * @param expected further columns that must still hold, e.g. the attempt that owns the work (INV-33)
 * @returns whether this call moved it
 */
export async function moveDelivery(
  trx: Transaction,
  move: {
    readonly request: OpenRequest;
    readonly delivery: DeliveryRow;
    readonly to: FrameState;
    readonly set?: Partial<DeliveryRow>;
    readonly expected?: Partial<DeliveryRow>;
  },
  now: number,
  random: Random,
): Promise<boolean> {
  const from = deliveryStates.filter((state) => deliveryTransitions[state].includes(move.to));
  const dueAt = deliveryTransitions[move.to].length === 0 ? null : now;
  const moved = await trx<DeliveryRow>('deliveries')
    .where({ id: move.delivery.id, ...move.expected })
    .whereIn('state', from)
    .update({ state: move.to, due_at: dueAt, claimed_by: null, updated_at: now, ...move.set });
  if (moved === 1) {
    const { request, delivery, to: state, set } = move;
    const offer = await factsOfOffer(trx, set?.upload_id ?? delivery.upload_id);
    await oweCallback(trx, { request, delivery, state, ...offer }, now, random);
  }
  return moved === 1;
}

/** The grade of the offer that a delivery led to, and how old its data are; empty when it led to none. */
async function factsOfOffer(
  trx: Transaction,
  uploadId: string | null,
): Promise<{ readonly grade?: Grade; readonly dataAt?: number | undefined }> {
  if (uploadId === null) return {};
  const sql = 'select fetched_at, shown_at, grade, made_of from uploads where id = ?';
  const offer = await firstRow<Pick<UploadRow, 'fetched_at' | 'shown_at' | 'grade' | 'made_of'>>(trx, sql, [uploadId]);
  return offer === undefined ? {} : { grade: gradeOf(offer), dataAt: oldestAnswer(readSources(offer.made_of)) };
}

/** Counts a delivery that has moved, once that is committed: how often, and how long after its content was accepted. */
export function countMove(
  meter: DeliveryMeter | undefined,
  state: (typeof countedStates)[number],
  request: Pick<OpenRequest, 'accepted_at'>,
  now: number,
): void {
  meter?.count('papergate_deliveries_total', { state });
  if (state !== 'prepared' && state !== 'synced') return;
  meter?.time(`papergate_${state}_seconds`, (now - request.accepted_at) / 1000, {});
}
