/** What logged-in people do with a paper's integration: grants, preview, ending their connection. */
import { z } from 'zod';
import { isId } from '../../gateway/runtime/random.ts';
import { refuse } from '../../gateway/runtime/refusals.ts';
import { type Membership, mayDo, membershipIn, type Principal } from '../directory/principal.ts';
import { type AnyRoute, route } from '../http/route.ts';
import { paperStore } from '../papers/store.ts';
import { mayConnect } from './authorize.ts';
import { revokeOwnConnection } from './connections.ts';
import type { IntegrationEdges } from './edges.ts';
import { createGrant } from './grants.ts';
import { contentFor, integrationContentSchema, readIntegrationContent } from './integration-content.ts';
import { loadIntegration, readPaper, type SavedPaper } from './saved-paper.ts';

const onePaper = z.object({ paperId: z.string() });

/** Routes of `person` access. A foreign, an unknown and an impossible paper id answer alike (A-8, T-16). */
export function paperRoutes(edges: IntegrationEdges): AnyRoute[] {
  const { db, clock, settings } = edges;
  const common = { access: 'person', noStore: true, params: onePaper } as const;
  return [
    route({
      ...common,
      method: 'POST',
      path: '/v1/integration-papers/papers/:paperId/grants',
      summary: 'Create a single-use grant for the settings page of the saved integration',
      status: 201,
      body: z.object({ configUrl: z.string(), settingsPage: z.string() }),
      malformed: 'invalid-integration-request',
      output: z.object({ grant: z.string() }),
      refuses: [
        ...(['invalid-integration-configuration', 'paper-access-denied'] as const),
        ...(['configuration-not-saved', 'integration-disabled'] as const),
      ],
      async admit({ params, principal }) {
        const { member } = await visiblePaper(edges, params.paperId, principal);
        if (!mayConnect(member.role)) throw refuse('paper-access-denied');
        if (!settings.processingEnabled) throw refuse('integration-disabled');
        return member;
      },
      async handle({ params, body }, member) {
        return { grant: await createGrant(edges, { paperId: params.paperId, member, ...body }) };
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/v1/integration-papers/papers/:paperId/content',
      summary: "Private preview: the paper's pushed content and its configured renderer",
      status: 200,
      output: z.object({
        content: integrationContentSchema.optional(),
        configUrl: z.string(),
        renderUrl: z.string(),
      }),
      refuses: ['paper-access-denied', 'invalid-integration-configuration'],
      async handle({ params, principal }) {
        const { paper, member } = await visiblePaper(edges, params.paperId, principal);
        // `patient` and `onlyself` see only what is linked to them.
        if (!mayDo(member, 'read') || !(await paperStore(db).isSeen(principal, paper.id))) {
          throw refuse('paper-access-denied');
        }
        const rules = { rules: settings, fetchManifest: edges.fetchManifest };
        const { integration } = await loadIntegration(rules, paper);
        const stored = await readIntegrationContent(db, paper.id, edges.signImage);
        const content = contentFor(integration.configUrl, stored);
        return {
          ...(content !== undefined && { content }),
          configUrl: integration.configUrl,
          renderUrl: integration.renderUrl,
        };
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/v1/integration-papers/papers/:paperId/connection',
      summary: "Revoke the caller's own connection to the paper and their pending grants",
      status: 204,
      output: z.undefined(),
      refuses: [],
      async handle({ params: { paperId }, principal }) {
        const userIds = principal.memberships.map(({ userId }) => userId);
        // Somebody else's paper has nothing of the caller: nothing happens, and the answer tells nothing.
        if (isId(paperId)) await revokeOwnConnection(db, { paperId, userIds }, clock.now());
        return undefined;
      },
    }),
  ];
}

/**
 * The paper and the caller's membership in its organization.
 * @throws Refusal `paper-access-denied`
 */
export async function visiblePaper(
  { db }: Pick<IntegrationEdges, 'db'>,
  paperId: string,
  principal: Principal,
): Promise<{ paper: SavedPaper; member: Membership }> {
  const paper = isId(paperId) ? await readPaper(db, paperId) : undefined;
  const member = paper && membershipIn(principal, paper.organizationId);
  if (paper === undefined || member === undefined) throw refuse('paper-access-denied');
  return { paper, member };
}
