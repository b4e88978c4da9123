/** Routes of organizations: create one, see the caller's own, change them. */

import { z } from 'zod';
import { reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { isoTime } from '../../../runtime/clock.ts';
import { membershipIn, requireMembership } from '../../access/principal.ts';
import { emailAddress, shownAddress } from '../../directory/address.ts';
import { createOrganization } from '../../directory/create-organization.ts';
import type { DirectoryDeps } from '../../directory/directory-deps.ts';
import { requireNotNarrow } from '../../directory/narrow-credential.ts';
import { removeOrganization } from '../../directory/remove-organization.ts';
import { directoryStore, type OrganizationRow } from '../../directory/store.ts';
import { metaText, objectId, openObject, replacesMeta, storedObject } from '../../http/field-shapes.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { maxNameCharacters, requireShortNames } from '../../http/short-names.ts';

const organizationAnswer = z
  .object({
    id: z.string(),
    name: z.string(),
    email: z.email().describe('ends in `@no-address.invalid` where none is known'),
    kind: z.string().optional(),
    meta: openObject,
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .meta({ id: 'Organization' });

const organizationName = z.string().describe(`At most ${maxNameCharacters} characters`);

const organizationBody = z.object({
  kind: z.string().min(1).max(100),
  name: organizationName.optional(),
  email: emailAddress.optional(),
  meta: openObject.optional(),
});

/** The fields of an update of an organization. */
export const organizationChange = z.object({
  organization: objectId,
  name: organizationName.optional(),
  kind: z.string().min(1).max(100).optional(),
  meta: openObject.describe(replacesMeta).optional(),
});

/** Presents an organization as the contract does. */
function showOrganization(row: OrganizationRow): z.input<typeof organizationAnswer> {
  return {
    id: row.id,
    name: row.name,
    ...shownAddress(row.email, row.id),
    ...(row.kind === null ? {} : { kind: row.kind }),
    meta: storedObject(row.meta),
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
  };
}

export function organizationRoutes(deps: DirectoryDeps): AnyRoute[] {
  return [...ownRoutes(deps), ...changeRoutes(deps), removeRoute(deps)];
}

/** Reads the stored organization and presents it. */
async function read(deps: DirectoryDeps, id: string): Promise<z.input<typeof organizationAnswer>> {
  const row = await directoryStore(deps.db).organization(id);
  if (row === undefined) throw refuse('not-found');
  return showOrganization(row);
}

function ownRoutes(deps: DirectoryDeps): AnyRoute[] {
  const store = directoryStore(deps.db);
  return [
    route('POST /organizations/', {
      output: organizationAnswer,
      summary: 'Create an organization; the caller becomes its admin',
      audit: { action: 'organization.created', on: 'organization', values: ['kind'] },
      body: organizationBody,
      refuses: ['conflict', 'access-denied'],
      async handle({ principal, body, note }) {
        requireShortNames({ name: body.name });
        requireNotNarrow(principal);
        const account = await store.account(principal.accountId);
        if (account === undefined) throw refuse('not-authenticated');
        const created = await createOrganization(deps.db, deps, {
          name: body.name ?? body.kind,
          email: body.email ?? account.email,
          kind: body.kind,
          meta: body.meta ?? {},
          most: deps.maxOrganizations,
          admin: {
            accountId: account.id,
            name: principal.memberships[0]?.name ?? account.first_name ?? account.email,
            email: account.email,
          },
        });
        note({ organizationId: created.organizationId });
        return read(deps, created.organizationId);
      },
    }),
    route('GET /organizations/', {
      summary: 'Organizations of the caller',
      output: z.array(organizationAnswer),
      refuses: [],
      async handle({ principal }) {
        const rows = await store.organizations(principal.memberships.map(({ organizationId }) => organizationId));
        return rows.map(showOrganization);
      },
    }),
    route('GET /organizations/:organizationId', {
      output: organizationAnswer,
      summary: 'One organization',
      refuses: ['not-found'],
      async handle({ params, principal }) {
        // Every member may see the organization, even one who may read nothing else in it.
        if (membershipIn(principal, params.organizationId) === undefined) throw refuse('not-found');
        return read(deps, params.organizationId);
      },
    }),
  ];
}

/** PATCH and POST do the same. */
function changeRoutes(deps: DirectoryDeps): AnyRoute[] {
  const store = directoryStore(deps.db);
  return (['PATCH', 'POST'] as const).map((method) =>
    route(`${method} /organizations/:organizationId`, {
      summary: 'Change an organization; admins only',
      audit: { action: 'organization.changed', on: 'organization', values: ['name', 'kind'] },
      body: organizationChange,
      output: organizationAnswer,
      async admit({ params, principal }) {
        requireMembership(principal, params.organizationId, 'manage');
      },
      async handle({ params, body }) {
        if (body.organization !== params.organizationId) {
          throw refuse('invalid-request', { hint: reasonOf('field-of-path', { field: 'organization' }) });
        }
        const stored = await store.organization(params.organizationId);
        requireShortNames({ name: body.name }, { name: stored?.name });
        await store.changeOrganization(params.organizationId, {
          ...(body.name === undefined ? {} : { name: body.name }),
          ...(body.kind === undefined ? {} : { kind: body.kind }),
          ...(body.meta === undefined ? {} : { meta: metaText(body.meta) }),
          updated_at: deps.clock.now(),
        });
        return read(deps, params.organizationId);
      },
    }),
  );
}

function removeRoute(deps: DirectoryDeps): AnyRoute {
  return route('DELETE /organizations/:organizationId', {
    output: organizationAnswer,
    summary: 'Remove an organization; refused while devices, papers or other users are in it',
    audit: { none: 'its log is gone with it' },
    refuses: ['not-found', 'access-denied', 'still-needed'],
    async handle({ params, principal }) {
      return showOrganization(await removeOrganization(deps, principal, params.organizationId));
    },
  });
}
