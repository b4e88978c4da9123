/** The route behind "changes at 12:00" on the page of a paper. */
import { z } from 'zod';
import { maxPlannedChanges } from '../../../gateway/frames/planned-changes.ts';
import type { CommonDeps } from '../../../runtime/database/common-deps.ts';
import { wholeNumber } from '../../http/list-query.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { requirePaper } from '../../papers/require-paper.ts';
import { loadPapers } from '../../planned-changes/load-papers.ts';
import { comingChanges } from '../../planned-changes/next-change.ts';
import { plannedChangeShown, showPlanned } from '../../planned-changes/show-change.ts';

const defaultChanges = 10;

/** Returns the route. */
export function nextChangesRoute({ db, clock }: Pick<CommonDeps, 'db' | 'clock'>): AnyRoute {
  return route('GET /papers/:paperId/next-changes/', {
    summary:
      'When the picture of a paper changes next, as far as it is known: within a day, or the first change after it',
    noStore: true,
    query: z.object({
      limit: wholeNumber(1, maxPlannedChanges)
        .describe(`${defaultChanges} changes unless another number is given`)
        .optional(),
    }),
    output: z.object({
      changes: z.array(plannedChangeShown).describe('the earliest first; none where nothing is known'),
    }),
    refuses: ['not-found', 'access-denied'],
    async handle({ params: { paperId }, query: { limit = defaultChanges }, principal }) {
      await requirePaper(db, principal, paperId, 'read');
      const paper = (await loadPapers(db, [paperId])).get(paperId);
      const changes = paper === undefined ? [] : comingChanges(paper, clock.now());
      return { changes: changes.slice(0, limit).map((change) => showPlanned(change, true)) };
    },
  });
}
