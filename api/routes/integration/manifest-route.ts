/** The route by which a person looks at an integration before a paper names it. */

import { z } from 'zod';
import { reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { wordsOf } from '../../../reasons/words.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { spelledAs, spelledReasons } from '../../http/spelled-reasons.ts';
import { asksToPush, resolveIntegration, resolveSettings } from '../../integration/saved-urls.ts';
import { writablePaper } from './callback-routes.ts';
import type { IntegrationDeps } from './integration-deps.ts';

const text = z.string().max(1_000).optional().catch(undefined);

/** The texts of a manifest for people; nothing is decided by them. */
const told = z.object({
  version: text,
  description: text,
  author: z
    .union([z.string(), z.object({ name: z.string() }).transform(({ name }) => name)])
    .pipe(z.string().max(200))
    .optional()
    .catch(undefined),
  requiredPermissions: z.array(z.string().max(200)).max(50).catch([]).default([]),
});

/** Returns the route. The address is fetched as manifests always are: public addresses, within limits. */
export function manifestRoute(deps: IntegrationDeps): AnyRoute {
  const { settings: rules } = deps;
  return route('POST /v1/integration-papers/papers/:paperId/manifest', {
    audit: { none: 'it changes nothing' },
    summary: 'What the manifest at an address says, before the paper names it; nothing is saved',
    noStore: true,
    params: z.object({ paperId: z.string() }),
    body: z.object({ configUrl: z.string().max(2_000) }),
    output: z.object({
      name: z.string(),
      configUrl: z.string(),
      version: z.string().optional(),
      description: z.string().optional(),
      author: z.string().optional(),
      requiredPermissions: z.array(z.string()).describe('As the integration says; nothing is decided by them'),
      hasSettingsPage: z.boolean(),
      pushes: z.boolean().describe('It can be connected, to push content'),
      whyNoPush: z
        .string()
        .describe('Why it cannot be connected; left out where its manifest asks for no content push')
        .optional(),
      whyNoPushReasons: spelledReasons.optional(),
    }),
    refuses: ['paper-access-denied', 'unusable-integration'],
    async handle({ params: { paperId }, body, principal }) {
      const { paper } = await writablePaper(deps, paperId, principal);
      const configUrl = body.configUrl.trim();
      const fetched = await deps.fetchManifest(configUrl, paper.organizationId);
      if (!fetched.ok) {
        throw refuse('unusable-integration', { hint: reasonOf('manifest-not-fetched', { because: fetched.problem }) });
      }
      const { manifest } = fetched;
      const settings = resolveSettings({ configUrl, manifest }, rules);
      if (!settings.ok) throw refuse('unusable-integration', { hint: settings.why });
      const push = resolveIntegration({ configUrl, manifest }, rules);
      const whyNoPush = !push.ok && asksToPush(manifest) ? push.why : undefined;
      const { requiredPermissions, ...about } = told.parse(manifest);
      return {
        name: settings.name,
        configUrl: settings.configUrl,
        ...Object.fromEntries(Object.entries(about).filter(([, value]) => value !== undefined)),
        requiredPermissions,
        hasSettingsPage: settings.settingsUrl !== undefined,
        pushes: push.ok,
        ...(whyNoPush !== undefined && {
          whyNoPush: wordsOf(whyNoPush),
          ...spelledAs('whyNoPushReasons', [whyNoPush]),
        }),
      };
    },
  });
}
