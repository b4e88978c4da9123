/** Changes a paper, and ends the connections whose integration the paper no longer names. */
import type { Transaction } from '../../runtime/database/database.ts';
import { type PaperRow, paperStore } from '../papers/store.ts';
import { endChangedConnections } from './authorize.ts';

/**
 * Changes a paper that still belongs to its organization.
 * @returns the number of changed rows: 0 when the paper has moved or gone
 */
export async function changeSavedPaper(trx: Transaction, paper: PaperRow, change: Partial<PaperRow>): Promise<number> {
  const changed = await paperStore(trx).change(paper, change);
  await endChangedConnections(trx, paper.id, change.updated_at ?? paper.updated_at);
  return changed;
}
