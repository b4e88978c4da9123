/** Organizations: create one, see one's own, change them. */
import { z } from 'zod';
import { isoTime } from '../../gateway/runtime/clock.ts';
import { refuse } from '../../gateway/runtime/refusals.ts';
import { metaText, noParams, objectId, openObject, replacesMeta, storedObject } from '../http/field-shapes.ts';
import { type AnyRoute, type Call, route } from '../http/route.ts';
import { createOrganization } from './create-organization.ts';
import type { DirectoryEdges } from './directory-edges.ts';
import { organizationsFor, type Principal, requireMembership } from './principal.ts';
import { removeOrganization } from './remove-organization.ts';
import { directoryStore, type OrganizationRow } from './store.ts';

const organizationAnswer = z
  .object({
    id: z.string(),
    name: z.string(),
    email: z.string(),
    kind: z.string().optional(),
    meta: openObject,
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .meta({ id: 'Organization' });

const organizationBody = z.object({
  kind: z.string().min(1).max(100),
  name: z.string().max(200).optional(),
  email: z.email().max(320).optional(),
  meta: openObject.optional(),
});

/** What an update of an organization may carry. */
export const organizationChange = z.object({
  organization: objectId,
  name: z.string().max(200).optional(),
  kind: z.string().min(1).max(100).optional(),
  meta: openObject.describe(replacesMeta).optional(),
});

const oneOrganization = z.object({ organizationId: objectId });

/** An organization as the contract shows it. */
function showOrganization(row: OrganizationRow): z.input<typeof organizationAnswer> {
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    ...(row.kind === null ? {} : { kind: row.kind }),
    meta: storedObject(row.meta),
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
  };
}

const common = { access: 'person', status: 200, output: organizationAnswer } as const;

export function organizationRoutes(edges: DirectoryEdges): AnyRoute[] {
  return [...ownRoutes(edges), ...changeRoutes(edges), removeRoute(edges)];
}

/** The stored organization, as shown. */
async function read(edges: DirectoryEdges, id: string): Promise<z.input<typeof organizationAnswer>> {
  const row = await directoryStore(edges.database).organization(id);
  if (row === undefined) throw refuse('not-found');
  return showOrganization(row);
}

function ownRoutes(edges: DirectoryEdges): AnyRoute[] {
  const store = directoryStore(edges.database);
  return [
    route({
      ...common,
      method: 'POST',
      path: '/organizations/',
      summary: 'Create an organization; the caller becomes its admin',
      params: noParams,
      body: organizationBody,
      refuses: [],
      async handle({ principal, body }) {
        const account = await store.account(principal.accountId);
        if (account === undefined) throw refuse('not-authenticated');
        const created = await createOrganization(edges.database, edges, {
          name: body.name ?? body.kind,
          email: body.email ?? account.email,
          kind: body.kind,
          meta: body.meta ?? {},
          admin: {
            accountId: account.id,
            name: principal.memberships[0]?.name ?? account.first_name ?? account.email,
            email: account.email,
          },
        });
        return read(edges, created.organizationId);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/organizations/',
      summary: 'Organizations of the caller',
      params: noParams,
      output: z.array(organizationAnswer),
      refuses: [],
      async handle({ principal }) {
        const rows = await store.organizations(organizationsFor(principal, 'read'));
        return rows.map(showOrganization);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/organizations/:organizationId',
      summary: 'One organization',
      params: oneOrganization,
      async handle({ params, principal }) {
        requireMembership(principal, params.organizationId, 'read');
        return read(edges, params.organizationId);
      },
    }),
  ];
}

/** PATCH and POST do the same. */
function changeRoutes(edges: DirectoryEdges): AnyRoute[] {
  const store = directoryStore(edges.database);
  const change = {
    ...common,
    path: '/organizations/:organizationId',
    summary: 'Change an organization; admins only',
    params: oneOrganization,
    body: organizationChange,
    admit: async ({ params, principal }: { params: { organizationId: string }; principal: Principal }) => {
      requireMembership(principal, params.organizationId, 'manage');
    },
    async handle({
      params,
      body,
    }: Call<z.output<typeof oneOrganization>, unknown, z.output<typeof organizationChange>>) {
      if (body.organization !== params.organizationId) {
        throw refuse('invalid-request', { hint: 'organization: must be the organization of the path' });
      }
      await store.changeOrganization(params.organizationId, {
        ...(body.name === undefined ? {} : { name: body.name }),
        ...(body.kind === undefined ? {} : { kind: body.kind }),
        ...(body.meta === undefined ? {} : { meta: metaText(body.meta) }),
        updated_at: edges.clock.now(),
      });
      return read(edges, params.organizationId);
    },
  };
  return [route({ ...change, method: 'PATCH' }), route({ ...change, method: 'POST' })];
}

function removeRoute(edges: DirectoryEdges): AnyRoute {
  return route({
    ...common,
    method: 'DELETE',
    path: '/organizations/:organizationId',
    summary: 'Remove an organization; refused while devices, papers or other users are in it',
    params: oneOrganization,
    refuses: ['not-found', 'access-denied', 'still-needed'],
    async handle({ params, principal }) {
      return showOrganization(await removeOrganization(edges, principal, params.organizationId));
    },
  });
}
