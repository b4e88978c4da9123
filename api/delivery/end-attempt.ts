/** Ends an attempt of a delivery that offered nothing: another try later, no attempt at all, or `failed`. */
import { type Because, storedReasons } from '../../reasons/reason.ts';
import { transact } from '../../runtime/database/database.ts';
import { countMove, moveDelivery } from '../delivery-state/move-delivery.ts';
import { attemptsBeforeFailure, type DeliveryRow, type OpenRequest, retryMs } from '../delivery-state/states.ts';
import type { LineDeps } from './line-deps.ts';

export interface AttemptDeps extends LineDeps {
  /** Called when another try is due. */
  readonly dueAgain: () => void;
}

/** Arranges another try, unless this was the last one. */
export async function retryOrFail(deps: AttemptDeps, delivery: DeliveryRow, reason: Because): Promise<void> {
  const { clock, dueAgain } = deps;
  if (delivery.attempts >= attemptsBeforeFailure) {
    await failDelivery(deps, delivery, reason);
    return;
  }
  const waitMs = retryMs[delivery.attempts - 1] ?? retryMs[2];
  await ofOpenRequest(deps, delivery).update({
    due_at: clock.now() + waitMs,
    reason: storedReasons(reason),
    claimed_by: null,
  });
  clock.after(waitMs, dueAgain);
}

/** INV-74: an attempt that a shutdown cut off is not counted. */
export async function giveBack(deps: AttemptDeps, delivery: DeliveryRow): Promise<void> {
  await ofOpenRequest(deps, delivery).update({
    attempts: delivery.attempts - 1,
    due_at: deps.clock.now(),
    claimed_by: null,
  });
}

/** This attempt's delivery, unless its connection ended meanwhile: nothing is begun for that any longer (INV-53). */
function ofOpenRequest({ db }: AttemptDeps, { id, attempts, claimed_by, request_id }: DeliveryRow) {
  const open = db('content_requests').where({ id: request_id }).whereIn('state', ['accepted', 'active']);
  return db<DeliveryRow>('deliveries')
    .where({ id, state: 'pending', attempts, claimed_by })
    .whereIn('request_id', open.select('id'));
}

/** Gives the delivery up. */
export async function failDelivery(deps: LineDeps, delivery: DeliveryRow, reason: Because): Promise<void> {
  const { db, clock, random } = deps;
  const now = clock.now();
  const failed = await transact(db, async (trx) => {
    const request = await trx<OpenRequest>('content_requests').where({ id: delivery.request_id }).first();
    if (request === undefined || request.state === 'revoked') return undefined;
    const expected = { attempts: delivery.attempts, claimed_by: delivery.claimed_by };
    const move = { request, delivery, to: 'failed', set: { reason: storedReasons(reason) }, expected } as const;
    return (await moveDelivery(trx, move, now, random)) ? request : undefined;
  });
  if (failed !== undefined) countMove(deps.meter, 'failed', failed, now);
  deps.callbacksOwed();
}
