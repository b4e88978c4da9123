/** Routes of an integration's backend: exchange its grant, push content, ask for the status, disconnect. */

import { z } from 'zod';
import { refuse } from '../../../reasons/refusals.ts';
import { camelOf } from '../../../runtime/database/camel-case.ts';
import { addressBucket } from '../../../runtime/plain-address.ts';
import { requestStates } from '../../delivery-state/states.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { authenticateFacts, authorizationOf } from '../../integration/authorize.ts';
import { authenticateConnection, requireUnrevoked, revokeConnection } from '../../integration/connections.ts';
import { exchangeGrant } from '../../integration/exchange-grant.ts';
import { readStatus, statusSchema } from '../../submissions/status.ts';
import { admitSubmission, submissionSchema, submitContent, takeOutImage } from '../../submissions/submit-content.ts';
import type { IntegrationDeps } from './integration-deps.ts';

/** The id may be any text: an impossible one is answered like an unknown one (INV-65). */
const oneConnection = z.object({ connectionId: z.string() });
const submissionLimitBytes = 32 * 1024 * 1024;

/** Routes that check their own credential: the grant, or the content token as bearer and nothing else (INV-70). */
export function connectionRoutes(deps: IntegrationDeps): AnyRoute[] {
  return [exchangeRoute(deps), contentRoute(deps), statusRoute(deps), disconnectRoute(deps)];
}

function exchangeRoute(deps: IntegrationDeps): AnyRoute {
  return route('POST /v1/integration-papers/exchange', {
    summary: 'Exchange a grant for the credentials of a connection',
    audit: { action: 'connection.made', on: 'connection' },
    access: 'anyone',
    noStore: true,
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
    // The attempt is counted before the grant is looked up (INV-67).
    admit: ({ address }) => deps.limits.exchange.count(addressBucket(address)),
    async handle({ body, note }) {
      const credentials = await exchangeGrant(deps, body.grant);
      const { connectionId, paperId, name } = credentials;
      note({ outsider: { by: 'integration', name }, id: connectionId, values: { paperId } });
      deps.logger.info({ connectionId, paperId }, 'integration connected');
      return credentials;
    },
  });
}

function contentRoute(deps: IntegrationDeps): AnyRoute {
  return route('POST /v1/integration-papers/connections/:connectionId/content', {
    audit: { none: 'pushes come by the thousand, and each is in the log of uploads' },
    summary: 'Submit text and/or a picture; 202 means durably accepted, not displayed',
    access: 'connection',
    status: 202,
    noStore: true,
    params: oneConnection,
    body: submissionSchema,
    fileText: { name: 'imageBase64', takeOut: takeOutImage },
    bodyLimitBytes: submissionLimitBytes,
    malformed: 'invalid-integration-request',
    output: z.object({
      requestId: z.string(),
      paperId: z.string(),
      messageId: z.string(),
      state: z.enum(requestStates),
    }),
    refuses: [
      ...(['text-or-image-required', 'invalid-image', 'unsupported-image', 'message-id-used'] as const),
      ...([
        'paper-access-denied',
        'integration-changed',
        'rate-limited',
        'integration-disabled',
        'storage-full',
      ] as const),
    ],
    admit: ({ params, headers }) => admitSubmission(deps, params.connectionId, headers),
    sharer: ({ organization_id: organizationId, id }) => [organizationId, id],
    async handle(call, connection) {
      const submission = { ...call.body, image: call.files[0]?.content };
      const request = await submitContent(deps, connection, submission, call.caller);
      await deps.at?.('intake.before-202');
      await requireUnrevoked(deps.db, connection);
      return { requestId: request.id, ...camelOf(request, 'paper_id', 'message_id', 'state') };
    },
  });
}

function statusRoute(deps: IntegrationDeps): AnyRoute {
  return route('GET /v1/integration-papers/connections/:connectionId/status', {
    summary: 'The latest request of the connection and its deliveries',
    access: 'connection',
    noStore: true,
    params: oneConnection,
    output: statusSchema,
    refuses: ['paper-access-denied', 'integration-changed'],
    async admit({ params, headers }) {
      const facts = await authenticateFacts(deps.db, params.connectionId, headers.authorization);
      // A connection that may no longer act is answered so (spec: Connection lifecycle rule 9).
      const authorization = authorizationOf(facts, deps.settings);
      if (!authorization.ok) throw refuse(authorization.code);
      return facts.connection;
    },
    async handle(_call, connection) {
      const status = await readStatus(deps, connection);
      await requireUnrevoked(deps.db, connection);
      return status;
    },
  });
}

function disconnectRoute(deps: IntegrationDeps): AnyRoute {
  return route('DELETE /v1/integration-papers/connections/:connectionId', {
    summary: 'Revoke the connection; content stays',
    audit: { action: 'connection.ended', on: 'connection' },
    access: 'connection',
    noStore: true,
    params: oneConnection,
    refuses: [],
    admit: ({ params, headers }) => authenticateConnection(deps.db, params.connectionId, headers.authorization),
    async handle({ note }, connection) {
      note({ outsider: { by: 'integration', name: connection.name }, values: { paperId: connection.paper_id } });
      await revokeConnection(deps.db, connection, deps.clock.now());
      deps.logger.info({ connectionId: connection.id, paperId: connection.paper_id }, 'integration disconnected');
    },
  });
}
