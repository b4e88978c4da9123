/** Writes the beginning and the end of an interval, each with its receipt. */
import type { Transaction } from '../../runtime/database/database.ts';
import type { IntervalRow } from './intervals.ts';
import type { ReceiptChain } from './receipts.ts';

/** Returns random bytes of a source as hex: they hide words in a receipt. */
export const blindOf = (secret: string): string => Buffer.from(secret, 'base64url').toString('hex');

/** Writes an interval that begins, with its receipt. */
export async function beginInterval(trx: Transaction, chain: ReceiptChain, interval: IntervalRow): Promise<void> {
  await trx('wall_intervals').insert(interval);
  await chain.hung(interval);
}

/** Ends an interval that is open, with its receipt. */
export async function endInterval(
  trx: Transaction,
  chain: ReceiptChain,
  interval: IntervalRow,
  end: { readonly until: number; readonly ended: NonNullable<IntervalRow['ended']> },
): Promise<void> {
  await trx('wall_intervals').where({ id: interval.id }).update(end);
  await chain.ended({ ...interval, ...end });
}
