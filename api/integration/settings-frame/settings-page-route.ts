/** What a page needs that hosts the settings page of a paper's integration. */
import { z } from 'zod';
import { refuse } from '../../../gateway/runtime/refusals.ts';
import { withNativeSettings } from '../../delivery/native-settings.ts';
import { orientationOf } from '../../delivery/offer-to-frame.ts';
import { pagePayload } from '../../delivery/page-payload.ts';
import { findDevice } from '../../devices/store.ts';
import { mayDo } from '../../directory/principal.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { paperStore } from '../../papers/store.ts';
import type { IntegrationEdges } from '../edges.ts';
import { visiblePaper } from '../paper-routes.ts';
import { loadSettingsPage } from '../saved-paper.ts';

/** The route. Settings may hold tokens of others, so it is for those alone who may change them. */
export function settingsPageRoute(edges: IntegrationEdges): AnyRoute {
  const { db, settings: rules } = edges;
  return route({
    method: 'GET',
    path: '/v1/integration-papers/papers/:paperId/settings-page',
    summary: "Where the settings page of the paper's integration is, and the INIT payload for it",
    access: 'person',
    status: 200,
    noStore: true,
    params: z.object({ paperId: z.string() }),
    output: z.object({
      name: z.string(),
      configUrl: z.string(),
      settingsPage: z.string(),
      messageSourcePrefix: z.string(),
      payload: z.record(z.string(), z.unknown()),
    }),
    refuses: ['paper-access-denied', 'invalid-integration-configuration'],
    async handle({ params, principal }) {
      const { paper: saved, member } = await visiblePaper(edges, params.paperId, principal);
      const paper = await paperStore(db).find(saved.id);
      if (paper === undefined || !mayDo(member, 'write')) throw refuse('paper-access-denied');
      const { name, configUrl, settingsUrl, manifest } = await loadSettingsPage({ ...edges, rules }, saved);
      const device = await findDevice(db, paper.device_id);
      const payload = pagePayload({
        paper,
        meta: withNativeSettings({ ...saved.meta, pluginManifest: manifest }),
        frame: { kind: device?.kind ?? '', serial: device?.serial ?? '' },
        orientation: orientationOf(paper.meta, device?.meta),
        content: undefined,
      });
      const { messageSourcePrefix } = rules;
      return { name, configUrl, settingsPage: settingsUrl, messageSourcePrefix, payload };
    },
  });
}
