/** Writes the beginning and the end of an interval, each with its receipt. */
import type { SingleTask } from '../../cluster/cluster.ts';
import type { TraitsOf } from '../../gateway/frames/dialect-traits.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { Transaction } from '../../runtime/database/database.ts';
import type { IntervalRow } from './intervals.ts';
import type { ReceiptChain } from './receipts.ts';

export interface KeepRecordDeps extends Pick<CommonDeps, 'db' | 'clock' | 'random'> {
  /** Of several nodes one keeps the record. */
  readonly single: SingleTask;
  readonly traitsOf: TraitsOf;
}

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
