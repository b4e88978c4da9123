/** Routes of a paper's callbacks, for those who may write it: every attempt, and sending one again. */
import { z } from 'zod';
import { refuse } from '../../../reasons/refusals.ts';
import { mayDo, type Principal } from '../../access/principal.ts';
import { callbackShown, listCallbacks, sendAgain } from '../../callbacks/read-callbacks.ts';
import { objectId } from '../../http/field-shapes.ts';
import { wholeNumber } from '../../http/list-query.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import type { IntegrationDeps } from './integration-deps.ts';
import { visiblePaper } from './paper-routes.ts';

const defaultCallbacks = 50;
const maxCallbacks = 100;

/** Returns the routes. */
export function callbackRoutes(deps: IntegrationDeps): AnyRoute[] {
  const { db, clock, settings: rules } = deps;
  return [
    route('GET /v1/integration-papers/papers/:paperId/callbacks', {
      noStore: true,
      summary: 'Callbacks to the integrations of a paper, newest first, with every attempt; kept for 30 days',
      params: z.object({ paperId: z.string() }),
      query: z.object({
        limit: wholeNumber(1, maxCallbacks).optional(),
        before: objectId.describe('The eventId after which the list goes on').optional(),
      }),
      output: z.object({ callbacks: z.array(callbackShown) }),
      refuses: ['paper-access-denied'],
      async handle({ params: { paperId }, query: { limit = defaultCallbacks, before }, principal }) {
        await writablePaper(deps, paperId, principal);
        return { callbacks: await listCallbacks(db, paperId, { limit, before }) };
      },
    }),
    route('POST /v1/integration-papers/papers/:paperId/callbacks/:eventId/again', {
      noStore: true,
      summary: 'Send a callback again now, as it was: under the same eventId, whether or not it was delivered',
      status: 202,
      audit: { action: 'callback.repeated', on: 'paper' },
      params: z.object({ paperId: z.string(), eventId: z.string() }),
      output: callbackShown,
      refuses: ['paper-access-denied', 'not-found', 'conflict'],
      async handle({ params: { paperId, eventId }, principal }) {
        await writablePaper(deps, paperId, principal);
        const shown = await sendAgain({ db, rules }, { paperId, eventId }, clock.now());
        deps.nudge();
        return shown;
      },
    }),
  ];
}

/**
 * Finds a paper that the caller may write.
 * @throws Refusal `paper-access-denied`
 */
export async function writablePaper(deps: IntegrationDeps, paperId: string, principal: Principal) {
  const found = await visiblePaper(deps, paperId, principal);
  if (!mayDo(found.member, 'write')) throw refuse('paper-access-denied');
  return found;
}
