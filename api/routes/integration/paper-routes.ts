/** Routes of a paper's integration for logged-in people: grants, preview, ending their connection. */
import { z } from 'zod';
import { refuse } from '../../../reasons/refusals.ts';
import { isId } from '../../../runtime/random.ts';
import { type Membership, mayDo, membershipIn, type Principal } from '../../access/principal.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { mayConnect } from '../../integration/authorize.ts';
import { revokeOwnConnection } from '../../integration/connections.ts';
import { createGrant } from '../../integration/grants.ts';
import { contentFor, integrationContentSchema, readIntegrationContent } from '../../integration/integration-content.ts';
import { loadIntegration, readPaper, type SavedPaper } from '../../integration/saved-paper.ts';
import { paperStore } from '../../papers/store.ts';
import type { IntegrationDeps } from './integration-deps.ts';

const onePaper = z.object({ paperId: z.string() });
const common = { noStore: true, params: onePaper } as const;

/** Routes of `person` access. A paper elsewhere, an unknown and an impossible paper id get the same answer. */
export function grantRoutes(deps: IntegrationDeps): AnyRoute[] {
  const { db, clock, settings } = deps;
  return [
    route('POST /v1/integration-papers/papers/:paperId/grants', {
      ...common,
      summary: 'Create a single-use grant for the settings page of the saved integration',
      status: 201,
      audit: { action: 'connection.granted', on: 'paper' },
      body: z.object({ configUrl: z.string(), settingsPage: z.string() }),
      malformed: 'invalid-integration-request',
      output: z.object({ grant: z.string() }),
      refuses: [
        ...(['invalid-integration-configuration', 'paper-access-denied'] as const),
        ...(['configuration-not-saved', 'integration-disabled'] as const),
      ],
      async admit({ params, principal }) {
        const { member } = await visiblePaper(deps, params.paperId, principal);
        if (!mayConnect(member.role)) throw refuse('paper-access-denied');
        if (!settings.processingEnabled) throw refuse('integration-disabled');
        return member;
      },
      async handle({ params, body }, member) {
        return { grant: await createGrant(deps, { paperId: params.paperId, member, ...body }) };
      },
    }),
    previewRoute(deps),
    route('DELETE /v1/integration-papers/papers/:paperId/connection', {
      ...common,
      summary: "Revoke the caller's own connection to the paper and their pending grants",
      audit: { action: 'connection.ended', on: 'paper' },
      refuses: [],
      async handle({ params: { paperId }, principal, note }) {
        const userIds = principal.memberships.map(({ userId }) => userId);
        // The caller has no connection to a paper elsewhere: nothing happens, and the answer reveals nothing.
        const ended = isId(paperId) && (await revokeOwnConnection(db, { paperId, userIds }, clock.now()));
        if (!ended) note({ nothing: true });
      },
    }),
  ];
}

function previewRoute(deps: IntegrationDeps): AnyRoute {
  const { db, settings } = deps;
  return route('GET /v1/integration-papers/papers/:paperId/content', {
    ...common,
    summary: "Private preview: the paper's pushed content and its configured renderer",
    output: z.object({
      content: integrationContentSchema.optional(),
      configUrl: z.string(),
      renderUrl: z.string(),
    }),
    refuses: ['paper-access-denied', 'invalid-integration-configuration'],
    async handle({ params, principal }) {
      const { paper, member } = await visiblePaper(deps, params.paperId, principal);
      // Members in the roles `patient` and `onlyself` see only papers that are linked to them.
      if (!mayDo(member, 'read') || !(await paperStore(db).isSeen(principal, paper.id))) {
        throw refuse('paper-access-denied');
      }
      const rules = { rules: settings, fetchManifest: deps.fetchManifest };
      const { integration } = await loadIntegration(rules, paper);
      const stored = await readIntegrationContent(db, paper.id, deps.signImage);
      const content = contentFor(integration.configUrl, stored);
      return {
        ...(content !== undefined && { content }),
        configUrl: integration.configUrl,
        renderUrl: integration.renderUrl,
      };
    },
  });
}

/**
 * Finds the paper, and the caller's membership in its organization.
 * @throws Refusal `paper-access-denied`
 */
export async function visiblePaper(
  { db }: Pick<IntegrationDeps, 'db'>,
  paperId: string,
  principal: Principal,
): Promise<{ paper: SavedPaper; member: Membership }> {
  const paper = isId(paperId) ? await readPaper(db, paperId) : undefined;
  const member = paper && membershipIn(principal, paper.organizationId);
  if (paper === undefined || member === undefined) throw refuse('paper-access-denied');
  return { paper, member };
}
