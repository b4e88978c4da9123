/** Removes a paper that no device shows any longer. */
import type { Principal } from '../../access/principal.ts';
import type { Audience } from '../../changes/read-changes.ts';
import { audienceOfPaper } from '../../changes/read-records.ts';
import { timedPictures } from '../../delivery-state/timed-rows.ts';
import { refuseShown } from '../../directory/dependents.ts';
import { endRights } from '../../integration/connections.ts';
import { transactOnPaper } from '../../papers/lock-paper.ts';
import { requirePaper } from '../../papers/require-paper.ts';
import { type PaperRow, paperStore } from '../../papers/store.ts';
import type { PaperDeps } from './paper-deps.ts';

/**
 * Removes a paper with its current content, and returns it as it was, with those who saw it. Those who push to it lose their right as by a
 * revocation (INV-53). Files that no other row refers to are deleted at night (INV-04).
 * @throws Refusal `not-found`, `access-denied`, or `still-needed` with the devices that show it
 */
export function removePaper(
  deps: Pick<PaperDeps, 'db' | 'clock'>,
  principal: Principal,
  paperId: string,
): Promise<{ readonly paper: PaperRow; readonly sawIt: Audience }> {
  return transactOnPaper(deps.db, paperId, async (trx) => {
    const paper = await requirePaper(trx, principal, paperId, 'write');
    const sawIt = await audienceOfPaper(trx, paper);
    await refuseShown(trx, paperId);
    await endRights(trx, { paperId }, deps.clock.now());
    await timedPictures(trx).forgetPlace({ column: 'paper_id', id: paperId });
    await paperStore(trx).remove(paper);
    return { paper, sawIt };
  });
}
