/** Routes of papers. */
import { z } from 'zod';
import { refuse } from '../../gateway/runtime/refusals.ts';
import { requireDevice } from '../devices/require-device.ts';
import { membershipIn, type Principal } from '../directory/principal.ts';
import { noParams, objectId } from '../http/field-shapes.ts';
import { likePattern, listQuery, orderOf, pageOf } from '../http/list-query.ts';
import { type AnyRoute, route } from '../http/route.ts';
import { imageRoutes } from './image-routes.ts';
import type { PaperEdges } from './paper-edges.ts';
import { removePaper } from './remove-paper.ts';
import { paperShown, showPaper } from './show-paper.ts';
import { paperStore, titleSql } from './store.ts';
import { changePaper, createPaper, paperBody } from './write-paper.ts';

const onePaper = z.object({ paperId: objectId });

/** Every route of papers that this service has. */
export function paperRoutes(edges: PaperEdges): AnyRoute[] {
  const common = { access: 'person', status: 200, output: paperShown } as const;
  return [
    listRoute(edges),
    route({
      ...common,
      method: 'POST',
      path: '/papers/',
      summary: 'Create a paper for a device of the organization',
      params: noParams,
      body: paperBody,
      async handle({ body, principal }) {
        const paper = await createPaper(edges, principal, body);
        edges.nudge();
        return showPaper(paper);
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/papers/:paperId',
      summary: 'Change a paper; a given meta replaces the stored one as a whole',
      params: onePaper,
      body: paperBody,
      async handle({ params, body, principal }) {
        const paper = await changePaper(edges, principal, params.paperId, body);
        edges.nudge();
        return showPaper(paper);
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/papers/:paperId',
      summary: 'Remove a paper that no device shows, with its content; connections to it are revoked',
      params: onePaper,
      refuses: ['not-found', 'access-denied', 'still-needed'],
      async handle({ params, principal }) {
        return showPaper(await removePaper(edges, principal, params.paperId));
      },
    }),
    ...imageRoutes(edges),
  ];
}

function listRoute(edges: PaperEdges): AnyRoute {
  const sortableColumns = {
    id: 'id',
    title: titleSql(edges.database),
    kind: 'kind',
    author: 'author',
    deviceId: 'device_id',
    organization: 'organization_id',
    createdAt: 'created_at',
    updatedAt: 'updated_at',
    imageUpdatedAt: 'image_updated_at',
  };
  return route({
    method: 'GET',
    path: '/papers/',
    summary: 'Papers that the caller may see, by device, or else by organization',
    access: 'person',
    status: 200,
    params: noParams,
    query: z.object({ ...listQuery, organization: objectId.optional(), deviceId: objectId.optional() }),
    output: z.object({
      results: z.array(paperShown),
      totalResults: z.number(),
      totalPages: z.number(),
      page: z.number(),
      limit: z.number(),
    }),
    async handle({ query, principal }) {
      await requireFilters(edges, principal, query);
      const { limit, offset, page } = pageOf(query);
      const pattern = likePattern(query.search);
      const { rows, total } = await paperStore(edges.database).visible(principal, {
        deviceId: query.deviceId,
        // spec: "by organization when no device is given"
        organizationId: query.deviceId === undefined ? query.organization : undefined,
        name: likePattern(query.name),
        search: pattern === undefined ? undefined : { text: query.search ?? '', pattern },
        order: orderOf(query.sortBy, sortableColumns),
        limit,
        offset,
      });
      const totalPages = Math.ceil(total / limit);
      return { results: rows.map(showPaper), totalResults: total, totalPages, page, limit };
    },
  });
}

/** Identifiers in the query are checked for access like those in the path. */
async function requireFilters(
  edges: PaperEdges,
  principal: Principal,
  query: { readonly organization?: string | undefined; readonly deviceId?: string | undefined },
): Promise<void> {
  if (query.organization !== undefined && membershipIn(principal, query.organization) === undefined) {
    throw refuse('not-found');
  }
  if (query.deviceId !== undefined) await requireDevice(edges.database, principal, query.deviceId, 'read');
}
