/** Routes of papers. */
import { z } from 'zod';
import { refuse } from '../../../reasons/refusals.ts';
import { orderedSql } from '../../../runtime/fold-text.ts';
import { membershipIn, type Principal } from '../../access/principal.ts';
import { requireDevice } from '../../devices/require-device.ts';
import { objectId } from '../../http/field-shapes.ts';
import { likePattern, listQuery, orderOf, pageOf } from '../../http/list-query.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { paperStore, titleSql } from '../../papers/store.ts';
import { albumRoutes } from './album-routes.ts';
import { guestLinkRoutes } from './guest-link-routes.ts';
import { guestRoutes } from './guest-routes.ts';
import { paperImageRoutes } from './image-routes.ts';
import { loginRoutes } from './login-routes.ts';
import { nextChangesRoute } from './next-changes-route.ts';
import type { PaperDeps } from './paper-deps.ts';
import { previewRoute } from './preview-route.ts';
import { readableRoutes } from './readable-route.ts';
import { removePaper } from './remove-paper.ts';
import { paperCreated, paperShown, showCreated, showPaper } from './show-paper.ts';
import { showWithWaiting } from './show-with-waiting.ts';
import { timedRoutes } from './timed-routes.ts';
import { changePaper, createPaper, paperChange, paperCreation } from './write-paper.ts';

/** The fields of a change that the log of who did what records. The rest of `meta` may hold secrets. */
const changedValues = [
  ...(['kind', 'deviceId', 'organization', 'draft', 'meta.title', 'meta.name', 'meta.orientation'] as const),
  ...(['meta.language', 'meta.timezone'] as const),
];

/** Returns every route of papers that this service has. */
export function paperRoutes(deps: PaperDeps): AnyRoute[] {
  return [
    listRoute(deps),
    route('POST /papers/', {
      summary: 'Create a paper for a device of the organization; the first one is shown, another when it is selected',
      output: paperCreated,
      audit: { action: 'paper.created', on: 'paper', values: ['kind', 'deviceId'] },
      body: paperCreation,
      async handle({ body, principal }) {
        const { paper, deviceShows } = await createPaper(deps, principal, body);
        await deps.noteHosts(paper);
        deps.nudge();
        return showCreated(paper, deviceShows, principal);
      },
    }),
    route('POST /papers/:paperId', {
      output: paperShown,
      summary: 'Change a paper; a given meta replaces the stored one as a whole',
      audit: { action: 'paper.changed', on: 'paper', values: changedValues },
      body: paperChange,
      refuses: ['not-found', 'access-denied', 'changed-meanwhile'],
      async handle({ params, body, principal }) {
        const paper = await changePaper(deps, principal, params.paperId, body);
        await deps.noteHosts(paper);
        deps.nudge();
        return showPaper(paper, principal);
      },
    }),
    route('DELETE /papers/:paperId', {
      output: paperShown,
      summary: 'Remove a paper that no device shows, with its content; connections to it are revoked',
      audit: { action: 'paper.removed', on: 'paper' },
      refuses: ['not-found', 'access-denied', 'still-needed'],
      async handle({ params, principal }) {
        const { paper, sawIt } = await removePaper(deps, principal, params.paperId);
        deps.changes.left('paper', paper.id, sawIt);
        return showPaper(paper, principal);
      },
    }),
    ...paperImageRoutes(deps),
    ...albumRoutes(deps),
    ...guestLinkRoutes(deps),
    ...loginRoutes(deps),
    ...guestRoutes(deps),
    previewRoute(deps),
    nextChangesRoute(deps),
    ...readableRoutes(deps),
    ...timedRoutes(deps),
  ];
}

function listRoute(deps: PaperDeps): AnyRoute {
  const sortableColumns = {
    id: 'id',
    title: orderedSql(deps.db, titleSql(deps.db)),
    kind: 'kind',
    author: orderedSql(deps.db, 'author'),
    deviceId: 'device_id',
    organization: 'organization_id',
    createdAt: 'created_at',
    updatedAt: 'updated_at',
    imageUpdatedAt: 'image_updated_at',
  };
  return route('GET /papers/', {
    summary: 'Papers that the caller may see, by device, or else by organization',
    query: z.object({ ...listQuery, organization: objectId.optional(), deviceId: objectId.optional() }),
    output: z.object({
      results: z.array(paperShown),
      totalResults: z.number(),
      totalPages: z.number(),
      page: z.number(),
      limit: z.number(),
    }),
    async handle({ query, principal }) {
      await requireFilters(deps, principal, query);
      const { limit, offset, page } = pageOf(query);
      const pattern = likePattern(query.search);
      const { rows, total } = await paperStore(deps.db).visible(principal, {
        deviceId: query.deviceId,
        // The organization counts only when no device is given (spec: "by organization when no device is given").
        organizationId: query.deviceId === undefined ? query.organization : undefined,
        name: likePattern(query.name),
        search: pattern === undefined ? undefined : { text: query.search ?? '', pattern },
        order: orderOf(query.sortBy, sortableColumns),
        limit,
        offset,
      });
      const totalPages = Math.ceil(total / limit);
      const results = await showWithWaiting(deps.db, rows, principal);
      return { results, totalResults: total, totalPages, page, limit };
    },
  });
}

/** Checks access to the records that the query names, as for those in the path. */
async function requireFilters(
  deps: PaperDeps,
  principal: Principal,
  query: { readonly organization?: string | undefined; readonly deviceId?: string | undefined },
): Promise<void> {
  if (query.organization !== undefined && membershipIn(principal, query.organization) === undefined) {
    throw refuse('not-found');
  }
  if (query.deviceId !== undefined) await requireDevice(deps.db, principal, query.deviceId, 'read');
}
