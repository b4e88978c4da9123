/** Users: the members of an organization. */
import { z } from 'zod';
import { refuse } from '../../gateway/runtime/refusals.ts';
import { objectId } from '../http/field-shapes.ts';
import { likePattern, listQuery, orderOf, pageOf } from '../http/list-query.ts';
import { type AnyRoute, route } from '../http/route.ts';
import { changeUser, userChange } from './change-user.ts';
import type { DirectoryEdges } from './directory-edges.ts';
import { membershipIn, type Principal, reachOf } from './principal.ts';
import { directoryStore, type UserRow } from './store.ts';
import { ageOf } from './user-age.ts';

const userAnswer = z.object({ id: z.string(), name: z.string(), email: z.string() });
const oneUser = z.object({ userId: objectId });

const sortableColumns = {
  id: 'id',
  name: 'name',
  email: 'email',
  role: 'role',
  category: 'category',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
};

function showUser({ id, name, email }: UserRow): z.input<typeof userAnswer> {
  return { id, name, email };
}

/** Whether the caller may know of this user. */
function isVisible(principal: Principal, user: UserRow): boolean {
  const membership = membershipIn(principal, user.organization_id);
  return membership !== undefined && (membership.userId === user.id || reachOf(membership) === 'organization');
}

export function userRoutes(edges: DirectoryEdges): AnyRoute[] {
  const store = directoryStore(edges.database);
  return [
    route({
      method: 'GET',
      path: '/users/',
      summary: 'Users of an organization',
      access: 'person',
      status: 200,
      params: z.object({}),
      query: z.object({ ...listQuery, organization: objectId }),
      output: z.array(userAnswer),
      async handle({ query, principal }) {
        const membership = membershipIn(principal, query.organization);
        if (membership === undefined) throw refuse('not-found');
        const { limit, offset } = pageOf(query);
        const name = likePattern(query.name);
        const search = likePattern(query.search);
        const rows = await store.users({
          organizationId: query.organization,
          ...(reachOf(membership) === 'organization' ? {} : { userId: membership.userId }),
          ...(name === undefined ? {} : { name }),
          ...(search === undefined ? {} : { search }),
          ...(query.role === undefined ? {} : { role: query.role }),
          order: orderOf(query.sortBy, sortableColumns),
          limit,
          offset,
        });
        return rows.map(showUser);
      },
    }),
    route({
      method: 'GET',
      path: '/users/:userId',
      summary: 'One user, as a list of one; 204 when there is none to see',
      access: 'person',
      status: 200,
      params: oneUser,
      output: z.array(userAnswer.extend({ age: z.number() })).optional(),
      async handle({ params, principal }) {
        const user = await store.user(params.userId);
        // the spec lists this path twice; both rows are kept.
        if (user === undefined || !isVisible(principal, user)) return undefined;
        return [{ ...showUser(user), age: ageOf(user.meta, edges.clock.now()) }];
      },
    }),
    route({
      method: 'PATCH',
      path: '/users/:userId',
      summary: 'Change some fields of a user',
      access: 'person',
      status: 200,
      params: oneUser,
      body: userChange,
      output: userAnswer,
      async handle({ params, body, principal }) {
        return showUser(await changeUser(edges, principal, params.userId, body));
      },
    }),
  ];
}
