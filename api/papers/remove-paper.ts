/** Removes a paper that no device shows any more. */
import { transact } from '../../gateway/runtime/database.ts';
import { refuseShown } from '../directory/dependents.ts';
import type { Principal } from '../directory/principal.ts';
import { endRights } from '../integration/connections.ts';
import { lockPaper } from './lock-paper.ts';
import type { PaperEdges } from './paper-edges.ts';
import { requirePaper } from './require-paper.ts';
import { type PaperRow, paperStore } from './store.ts';

/**
 * Removes it with its current content, and returns it as it was. Whoever pushes to it loses their right as by a
 * revocation (INV-53); files that nothing else refers to are cleared away at night (INV-04).
 * @throws Refusal `not-found`, `access-denied`, or `still-needed` with the devices that show it
 */
export function removePaper(
  edges: Pick<PaperEdges, 'database' | 'clock'>,
  principal: Principal,
  paperId: string,
): Promise<PaperRow> {
  return transact(edges.database, async (trx) => {
    await lockPaper(trx, paperId);
    const paper = await requirePaper(trx, principal, paperId, 'write');
    await refuseShown(trx, paperId);
    await endRights(trx, { paperId }, edges.clock.now());
    await paperStore(trx).remove(paper);
    return paper;
  });
}
