/** The route for a page that hosts the settings page of a paper's integration. */
import { z } from 'zod';
import { refuse } from '../../../reasons/refusals.ts';
import { mayDo } from '../../access/principal.ts';
import { findDevice } from '../../devices/store.ts';
import { pagePayload, withSettings } from '../../drawing/page-payload.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { openSettings } from '../../integration/paper-secrets.ts';
import { loadSettings } from '../../integration/saved-paper.ts';
import { withNativeSettings } from '../../papers/native-settings.ts';
import { orientationOf } from '../../papers/orientation.ts';
import { paperStore } from '../../papers/store.ts';
import type { IntegrationDeps } from './integration-deps.ts';
import { visiblePaper } from './paper-routes.ts';

/**
 * Returns everything that the hosting page needs. Settings may hold tokens of others, so only those who may change them
 * get them. An integration without a settings page describes its fields in the manifest, which is part of the payload.
 */
export function settingsPageRoute(deps: IntegrationDeps): AnyRoute {
  const { db, settings: rules } = deps;
  return route('GET /v1/integration-papers/papers/:paperId/settings-page', {
    summary: "What may be set of the paper's integration: its settings page, if it has one, and the INIT payload",
    noStore: true,
    params: z.object({ paperId: z.string() }),
    output: z.object({
      name: z.string(),
      configUrl: z.string(),
      settingsPage: z.string().optional(),
      messageSourcePrefix: z.string(),
      payload: z.record(z.string(), z.unknown()),
    }),
    refuses: ['paper-access-denied', 'unusable-integration'],
    async handle({ params, principal }) {
      const { paper: saved, member } = await visiblePaper(deps, params.paperId, principal);
      const paper = await paperStore(db).find(saved.id);
      if (paper === undefined || !mayDo(member, 'write')) throw refuse('paper-access-denied');
      const { name, configUrl, settingsUrl, manifest } = await loadSettings({ ...deps, rules }, saved);
      const device = await findDevice(db, paper.device_id);
      const payload = pagePayload({
        paper,
        meta: withNativeSettings({ ...saved.meta, pluginManifest: manifest }),
        frame: { kind: device?.kind ?? '', serial: device?.serial ?? '' },
        orientation: orientationOf(paper.meta, device?.meta),
        content: undefined,
      });
      // Fields of a form need to know that a secret is set; only the integration's own page gets it (T-118).
      const shown =
        settingsUrl === undefined
          ? payload
          : withSettings(payload, openSettings(deps.sealKey, paper, payload.settings).settings);
      const { messageSourcePrefix } = rules;
      const page = { ...(settingsUrl !== undefined && { settingsPage: settingsUrl }) };
      return { name, configUrl, ...page, messageSourcePrefix, payload: shown };
    },
  });
}
