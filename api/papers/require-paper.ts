/** Access to papers: one place (T-15, T-16, A-8). */
import type { Database } from '../../gateway/runtime/database.ts';
import { refuse } from '../../gateway/runtime/refusals.ts';
import { mayDo, membershipIn, type Principal } from '../directory/principal.ts';
import { type PaperRow, paperStore } from './store.ts';

/**
 * A paper that the caller may read or write.
 * @throws Refusal `not-found` for a paper that is not there or not theirs to see, `access-denied` for their role
 */
export async function requirePaper(
  db: Database,
  principal: Principal,
  paperId: string,
  act: 'read' | 'write',
): Promise<PaperRow> {
  const store = paperStore(db);
  const paper = await store.find(paperId);
  if (paper === undefined || !(await store.isSeen(principal, paperId))) throw refuse('not-found');
  if (act === 'write' && !mayDo(membershipIn(principal, paper.organization_id), 'write')) throw refuse('access-denied');
  return paper;
}
