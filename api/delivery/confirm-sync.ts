/** Prepared deliveries whose frame has proven that it shows them become `synced`. */
import { type Transaction, transact } from '../../gateway/runtime/database.ts';
import type { LineEdges } from './line-edges.ts';
import { countMove, moveDelivery } from './move-delivery.ts';
import type { DeliveryRow, RequestRow } from './states.ts';
import { missingProof } from './weigh-evidence.ts';

const recheckMs = 60_000;

/**
 * Weighs deliveries of frames that just reported, and those not looked at for a minute.
 * @param reported serials of frames something was recorded of since the last pass
 */
export async function confirmSync(edges: LineEdges, reported: readonly string[]): Promise<void> {
  const { db, clock, random } = edges;
  const now = clock.now();
  const prepared = () => db<DeliveryRow>('deliveries').where({ state: 'prepared' });
  const due = await prepared().where('due_at', '<=', now);
  // Two questions, each with an index of its own: one with `or` would read every delivery there ever was.
  const told = reported.length === 0 ? [] : await prepared().whereIn('serial', reported).whereNotNull('due_at');
  const both = new Map([...due, ...told].map((delivery) => [delivery.id, delivery]));
  for (const delivery of both.values()) {
    if (!(await isProven(edges, delivery, now))) {
      await db('deliveries')
        .where({ id: delivery.id, state: 'prepared' })
        .update({ due_at: now + recheckMs });
      continue;
    }
    const synced = await transact(db, async (trx) => {
      const request = await trx<RequestRow>('content_requests').where({ id: delivery.request_id }).first();
      // INV-53: nothing moves for a connection that was revoked.
      if (request === undefined || request.state === 'revoked') return undefined;
      // INV-39: the frame may have been offered something else since it was weighed.
      if (!(await isProven(edges, delivery, now, trx))) return undefined;
      return (await moveDelivery(trx, { request, delivery, to: 'synced' }, now, random)) ? request : undefined;
    });
    if (synced !== undefined) countMove(edges.meter, 'synced', synced, now);
  }
}

/** Whether nothing is missing any more for a prepared delivery, by what a transaction sees when one is given. */
export async function isProven(
  { gateway }: Pick<LineEdges, 'gateway'>,
  { upload_id: uploadId, request_id: revision }: DeliveryRow,
  now: number,
  within?: Transaction,
): Promise<boolean> {
  const evidence = uploadId === null ? undefined : await gateway.evidence(uploadId, within);
  return evidence !== undefined && missingProof(evidence, revision, now).length === 0;
}
