/** Access to papers, in one place. */

import { refuse } from '../../reasons/refusals.ts';
import type { Database } from '../../runtime/database/database.ts';
import { mayDo, membershipIn, type Principal } from '../access/principal.ts';
import { type PaperRow, paperStore } from './store.ts';

/**
 * Finds a paper that the caller may read or write.
 * @throws Refusal `not-found` for a paper that is missing or hidden from the caller, `access-denied` for the caller's
 * role
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
