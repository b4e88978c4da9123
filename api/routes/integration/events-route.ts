/** The route by which an integration asks for the events that its callbacks report. */
import { z } from 'zod';
import { refuse } from '../../../reasons/refusals.ts';
import { listEvents, listedEvents } from '../../callbacks/list-events.ts';
import { wholeNumber } from '../../http/list-query.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { authenticateFacts, authorizationOf } from '../../integration/authorize.ts';
import { requireUnrevoked } from '../../integration/connections.ts';
import type { IntegrationDeps } from './integration-deps.ts';

const defaultEvents = 100;
const maxEvents = 500;

/** Returns the route. It takes the content token, as the status does (INV-70). */
export function eventsRoute(deps: IntegrationDeps): AnyRoute {
  return route('GET /v1/integration-papers/connections/:connectionId/events', {
    summary:
      'Every event of the connection of the last 30 days, oldest first, whether or not its callback was delivered',
    access: 'connection',
    noStore: true,
    // The id may be any text: an impossible one is answered like an unknown one (INV-65).
    params: z.object({ connectionId: z.string() }),
    query: z.object({
      after: z
        .string()
        .max(200)
        .describe('The `next` of the page before; absent or empty to begin with the oldest')
        .optional(),
      limit: wholeNumber(1, maxEvents).optional(),
    }),
    output: listedEvents,
    refuses: ['paper-access-denied', 'integration-changed', 'cursor-unknown'],
    async admit({ params, headers }) {
      const facts = await authenticateFacts(deps.db, params.connectionId, headers.authorization);
      const authorization = authorizationOf(facts, deps.settings);
      if (!authorization.ok) throw refuse(authorization.code);
      return facts.connection;
    },
    async handle({ query: { after, limit = defaultEvents } }, connection) {
      const page = await listEvents(deps.db, connection, { after: after || undefined, limit });
      await requireUnrevoked(deps.db, connection);
      return page;
    },
  });
}
