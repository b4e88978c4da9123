/** Counts the messages that wait for a member's yes, for lists of papers. */
import type { Database } from '../../runtime/database/database.ts';
import type { PaperRow } from '../papers/store.ts';
import { ofPresentOwner } from './post-of-album.ts';

/** Returns how many wait at each of some papers, by the papers' ids; papers at which none waits are left out. */
export async function countWaiting(
  db: Database,
  papers: readonly Pick<PaperRow, 'id'>[],
): Promise<ReadonlyMap<string, number>> {
  if (papers.length === 0) return new Map();
  const rows: { paper_id: string; count: number }[] = await db('waiting_mails')
    .whereIn(
      'paper_id',
      papers.map(({ id }) => id),
    )
    .where({ decision: null })
    .whereRaw(ofPresentOwner('waiting_mails'))
    .groupBy('paper_id')
    .select('paper_id')
    .count({ count: '*' });
  return new Map(rows.map(({ paper_id, count }) => [paper_id, Number(count)]));
}
