/** Ends the unfinished work of a connection, in the transaction that takes its right away. */

import { reasonOf, storedReasons } from '../../reasons/reason.ts';
import type { Transaction } from '../../runtime/database/database.ts';

/** The request states from which work may still start. */
const workingStates = ['receiving', 'accepted', 'active'];

/**
 * Marks the connection's unfinished requests `revoked` and cancels their due renders, uploads and callbacks (INV-53).
 * No event is written, and content stays where it is. A repetition does no harm.
 */
export async function stopWork(trx: Transaction, connectionId: string, now: number): Promise<void> {
  await trx('content_requests')
    .where({ connection_id: connectionId })
    .whereIn('state', workingStates)
    .update({ state: 'revoked', due_at: null, updated_at: now });
  await trx('deliveries')
    .whereIn(
      'request_id',
      trx('content_requests').where({ connection_id: connectionId, state: 'revoked' }).select('id'),
    )
    .whereNotNull('due_at')
    .update({ due_at: null });
  await trx('callback_events')
    .where({ connection_id: connectionId })
    .whereNotNull('due_at')
    .update({ due_at: null, problem: storedReasons(reasonOf('connection-ended')) });
}
