/** What an integration's backend does: exchange its grant, push content, ask for the status, disconnect. */
import { z } from 'zod';
import { refuse } from '../../gateway/runtime/refusals.ts';
import { addressBucket } from '../http/limit-rate.ts';
import { type AnyRoute, route } from '../http/route.ts';
import { authenticateStanding, stillAuthorized } from './authorize.ts';
import { authenticateConnection, requireUnrevoked, revokeConnection } from './connections.ts';
import type { IntegrationEdges } from './edges.ts';
import { exchangeGrant } from './exchange-grant.ts';
import { readStatus, statusSchema } from './status.ts';
import { admitSubmission, submissionSchema, submitContent } from './submit-content.ts';

/** Any text: an impossible id is answered like an unknown one (INV-65). */
const oneConnection = z.object({ connectionId: z.string() });
const submissionLimitBytes = 32 * 1024 * 1024;

/** Routes that check their own credential: the grant, or the content token as bearer and nothing else (INV-70). */
export function connectionRoutes(edges: IntegrationEdges): AnyRoute[] {
  return [exchangeRoute(edges), contentRoute(edges), statusRoute(edges), disconnectRoute(edges)];
}

function exchangeRoute(edges: IntegrationEdges): AnyRoute {
  return route({
    method: 'POST',
    path: '/v1/integration-papers/exchange',
    summary: 'Exchange a grant for the credentials of a connection',
    access: 'anyone',
    status: 200,
    noStore: true,
    params: z.object({}),
    body: z.object({ grant: z.string().min(1).max(256) }),
    malformed: 'invalid-integration-request',
    output: z.object({
      connectionId: z.string(),
      paperId: z.string(),
      name: z.string(),
      token: z.string(),
      callbackToken: z.string(),
    }),
    refuses: [
      'grant-spent',
      'paper-access-denied',
      'integration-changed',
      'configuration-not-saved',
      'integration-disabled',
    ],
    // INV-67: counted before the grant is looked up
    admit: ({ address }) => edges.limits.exchange.count(addressBucket(address)),
    async handle({ body }) {
      const credentials = await exchangeGrant(edges, body.grant);
      const { connectionId, paperId } = credentials;
      edges.logger.info({ connectionId, paperId }, 'integration connected');
      return credentials;
    },
  });
}

function contentRoute(edges: IntegrationEdges): AnyRoute {
  return route({
    method: 'POST',
    path: '/v1/integration-papers/connections/:connectionId/content',
    summary: 'Submit text and/or a picture; 202 means durably accepted, not displayed',
    access: 'connection',
    status: 202,
    noStore: true,
    params: oneConnection,
    body: submissionSchema,
    bodyLimitBytes: submissionLimitBytes,
    malformed: 'invalid-integration-request',
    output: z.object({ requestId: z.string(), paperId: z.string(), messageId: z.string(), state: z.string() }),
    refuses: [
      ...(['text-or-image-required', 'invalid-image', 'unsupported-image', 'message-id-used'] as const),
      ...(['paper-access-denied', 'integration-changed', 'rate-limited', 'integration-disabled'] as const),
    ],
    admit: ({ params, headers }) => admitSubmission(edges, params.connectionId, headers),
    async handle({ body }, connection) {
      const request = await submitContent(edges, connection, body);
      await edges.at?.('intake.before-202');
      await requireUnrevoked(edges.db, connection);
      const { id: requestId, paper_id: paperId, message_id: messageId, state } = request;
      return { requestId, paperId, messageId, state };
    },
  });
}

function statusRoute(edges: IntegrationEdges): AnyRoute {
  return route({
    method: 'GET',
    path: '/v1/integration-papers/connections/:connectionId/status',
    summary: 'The latest request of the connection and its deliveries',
    access: 'connection',
    status: 200,
    noStore: true,
    params: oneConnection,
    output: statusSchema,
    refuses: ['paper-access-denied', 'integration-changed'],
    async admit({ params, headers }) {
      const standing = await authenticateStanding(edges.db, params.connectionId, headers.authorization);
      // Spec: Connection lifecycle rule 9
      const authorization = stillAuthorized(standing, edges.settings);
      if (authorization !== 'yes') throw refuse(authorization);
      return standing.connection;
    },
    async handle(_call, connection) {
      const status = await readStatus(edges, connection);
      await requireUnrevoked(edges.db, connection);
      return status;
    },
  });
}

function disconnectRoute(edges: IntegrationEdges): AnyRoute {
  return route({
    method: 'DELETE',
    path: '/v1/integration-papers/connections/:connectionId',
    summary: 'Revoke the connection; content stays',
    access: 'connection',
    status: 204,
    noStore: true,
    params: oneConnection,
    output: z.undefined(),
    refuses: [],
    admit: ({ params, headers }) => authenticateConnection(edges.db, params.connectionId, headers.authorization),
    async handle(_call, connection) {
      await revokeConnection(edges.db, connection, edges.clock.now());
      edges.logger.info({ connectionId: connection.id, paperId: connection.paper_id }, 'integration disconnected');
      return undefined;
    },
  });
}
