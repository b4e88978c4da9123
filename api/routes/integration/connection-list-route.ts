/** The route that lists who is connected to a paper, whether they still may act, and what they pushed last. */

import { z } from 'zod';
import { isoTime } from '../../../runtime/clock.ts';
import { camelOf } from '../../../runtime/database/camel-case.ts';
import type { RequestRow } from '../../delivery-state/requests.ts';
import { requestStates } from '../../delivery-state/states.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { authorizationOfWork, readAuthorizationFacts } from '../../integration/authorize.ts';
import type { ConnectionRow } from '../../integration/connections.ts';
import { type ConnectionStatus, readStatus, statusSchema } from '../../submissions/status.ts';
import { writablePaper } from './callback-routes.ts';
import type { IntegrationDeps } from './integration-deps.ts';

const maxRequests = 10;

const connectionShown = z.object({
  connectionId: z.string(),
  name: z.string().describe('What the integration called itself when it was connected'),
  origin: z.string().describe('Where it is, and where callbacks go'),
  user: z.string().describe('The name of the member who connected it; empty when they have left'),
  isOwn: z.boolean().describe('The caller connected it, and may end it'),
  state: z
    .enum(['active', 'revoked', 'changed', 'denied'])
    .describe(
      '`changed`: the paper names another integration; `denied`: the person who connected it may no longer write the paper',
    ),
  connectedAt: z.string(),
  latest: statusSchema.describe('Its latest request, and the frames that it is to reach'),
  requests: z
    .array(
      z.object({
        requestId: z.string(),
        messageId: z.string(),
        state: z.enum(requestStates),
        hasText: z.boolean(),
        hasPicture: z.boolean(),
        createdAt: z.string(),
      }),
    )
    .describe(`The latest ${maxRequests} of the connection, newest first`),
});

export type ConnectionShown = z.input<typeof connectionShown>;

/** Returns the route. */
export function connectionListRoute(deps: IntegrationDeps): AnyRoute {
  return route('GET /v1/integration-papers/papers/:paperId/connections', {
    summary: 'Who is connected to a paper, whether they may still act, and their latest requests',
    noStore: true,
    params: z.object({ paperId: z.string() }),
    output: z.object({ connections: z.array(connectionShown) }),
    refuses: ['paper-access-denied'],
    async handle({ params: { paperId }, principal }) {
      await writablePaper(deps, paperId, principal);
      const own = new Set(principal.memberships.map(({ userId }) => userId));
      const rows: ConnectionRow[] = await deps
        .db<ConnectionRow>('connections')
        .where({ paper_id: paperId })
        .orderBy(['created_at', 'id']);
      return { connections: await Promise.all(rows.map((row) => showConnection(deps, row, own.has(row.user_id)))) };
    },
  });
}

async function showConnection(deps: IntegrationDeps, row: ConnectionRow, isOwn: boolean): Promise<ConnectionShown> {
  const { db } = deps;
  const user: { name: string } | undefined = await db('users')
    .where({ id: row.user_id, organization_id: row.organization_id })
    .first('name');
  const latest: ConnectionStatus = await readStatus(deps, row);
  return {
    connectionId: row.id,
    name: row.name,
    origin: new URL(row.callback_url).origin,
    user: user?.name ?? '',
    isOwn,
    state: await stateOf(deps, row),
    connectedAt: isoTime(row.updated_at),
    latest,
    requests: await requestsOf(deps, row),
  };
}

async function stateOf({ db, settings }: IntegrationDeps, { id, generation, revoked_at }: ConnectionRow) {
  if (revoked_at !== null) return 'revoked' as const;
  const judged = authorizationOfWork(await readAuthorizationFacts(db, id), { generation }, settings);
  if (judged.ok) return 'active' as const;
  return judged.code === 'integration-changed' ? ('changed' as const) : ('denied' as const);
}

async function requestsOf({ db }: IntegrationDeps, { id, generation }: ConnectionRow) {
  const rows = await db<RequestRow>('content_requests')
    .where({ connection_id: id, generation })
    .whereNotNull('accepted_at')
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .limit(maxRequests)
    .select('id', 'message_id', 'state', 'text', 'image_key', 'created_at');
  return rows.map((row) => ({
    requestId: row.id,
    ...camelOf(row, 'message_id', 'state'),
    hasText: row.text !== '',
    hasPicture: row.image_key !== null,
    createdAt: isoTime(row.created_at),
  }));
}
