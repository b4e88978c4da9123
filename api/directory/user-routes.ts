/** Users: the members of an organization. */
import { z } from 'zod';
import { refuse } from '../../gateway/runtime/refusals.ts';
import { noParams, objectId } from '../http/field-shapes.ts';
import { addressBucket } from '../http/limit-rate.ts';
import { likePattern, listQuery, orderOf, pageOf } from '../http/list-query.ts';
import { type AnyRoute, route } from '../http/route.ts';
import { changeUser, removeUser, userChange } from './change-user.ts';
import type { DirectoryEdges } from './directory-edges.ts';
import { invite, inviteCode, join } from './invitation.ts';
import { isVisibleTo, membershipIn, type Principal, reachOf, roles } from './principal.ts';
import { directoryStore, type UserRow } from './store.ts';
import { ageOf } from './user-age.ts';

const userAnswer = z.object({ id: z.string(), name: z.string(), email: z.string() }).meta({ id: 'User' });
const templateUser = z.object({ id: z.string(), name: z.string(), age: z.number() }).meta({ id: 'TemplateUser' });
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

export function userRoutes(edges: DirectoryEdges): AnyRoute[] {
  return [listRoute(edges), ...invitationRoutes(edges), ...readRoutes(edges), ...changeRoutes(edges)];
}

function listRoute(edges: DirectoryEdges): AnyRoute {
  return route({
    method: 'GET',
    path: '/users/',
    summary: 'Users of an organization',
    access: 'person',
    status: 200,
    params: noParams,
    query: z.object({ ...listQuery, organization: objectId }),
    output: z.array(userAnswer),
    async handle({ query, principal }) {
      const membership = membershipIn(principal, query.organization);
      if (membership === undefined) throw refuse('not-found');
      const { limit, offset } = pageOf(query);
      const name = likePattern(query.name);
      const pattern = likePattern(query.search);
      const rows = await directoryStore(edges.database).users({
        organizationId: query.organization,
        ...(reachOf(membership) === 'organization' ? {} : { userId: membership.userId }),
        ...(name === undefined ? {} : { name }),
        ...(pattern === undefined ? {} : { search: { text: query.search ?? '', pattern } }),
        ...(query.role === undefined ? {} : { role: query.role }),
        order: orderOf(query.sortBy, sortableColumns),
        limit,
        offset,
      });
      return rows.map(showUser);
    },
  });
}

/** How somebody becomes a member: the contract has the `inviteCode`, these make one and redeem it. */
function invitationRoutes(edges: DirectoryEdges): AnyRoute[] {
  return [
    route({
      method: 'POST',
      path: '/users/',
      summary: 'Invite somebody: a user of the organization, and the code that makes its finder that user',
      access: 'person',
      status: 200,
      noStore: true,
      params: noParams,
      body: z.object({
        organization: objectId,
        email: z.email().max(320),
        name: z.string().min(1).max(200).optional(),
        role: z.enum(roles).default('user'),
        category: userChange.shape.category,
      }),
      output: userAnswer.extend({ inviteCode: z.string() }),
      refuses: ['not-found', 'access-denied', 'conflict'],
      async handle({ body, principal }) {
        const { user, code } = await invite(edges, principal, body);
        return { ...showUser(user), inviteCode: code };
      },
    }),
    route({
      method: 'POST',
      path: '/users/join',
      summary: 'Redeem an invitation: the caller becomes the user that it was made for',
      access: 'person',
      status: 200,
      params: noParams,
      body: z.object({ inviteCode }),
      output: userAnswer,
      refuses: ['not-found', 'conflict'],
      admit: ({ address }) => edges.limitJoins.count(addressBucket(address)),
      async handle({ body, principal }) {
        return showUser(await join(edges, principal, body.inviteCode));
      },
    }),
  ];
}

function readRoutes(edges: DirectoryEdges): AnyRoute[] {
  /** The user, if there is one for the caller to see. */
  const visible = async (principal: Principal, userId: string): Promise<UserRow | undefined> => {
    const user = await directoryStore(edges.database).user(userId);
    return user !== undefined && isVisibleTo(membershipIn(principal, user.organization_id), userId) ? user : undefined;
  };
  const age = ({ meta }: UserRow): number => ageOf(meta, edges.clock.now());
  const common = { method: 'GET', access: 'person', status: 200, params: oneUser } as const;
  return [
    route({
      ...common,
      path: '/usersnnn/:userId',
      summary: 'The template user',
      output: templateUser,
      refuses: ['not-found'],
      async handle({ params, principal }) {
        const user = await visible(principal, params.userId);
        if (user === undefined) throw refuse('not-found');
        return { id: user.id, name: user.name, age: age(user) };
      },
    }),
    route({
      ...common,
      path: '/users/:userId',
      summary: 'One user, as a list of one; 204 when there is none to see',
      output: z.array(userAnswer.extend({ age: z.number() })).optional(),
      refuses: [],
      async handle({ params, principal }) {
        const user = await visible(principal, params.userId);
        // the spec lists this path twice; both rows are kept.
        return user === undefined ? undefined : [{ ...showUser(user), age: age(user) }];
      },
    }),
  ];
}

function changeRoutes(edges: DirectoryEdges): AnyRoute[] {
  const common = { path: '/users/:userId', access: 'person', status: 200, params: oneUser } as const;
  return [
    route({
      ...common,
      method: 'POST',
      summary: 'Replace what is known of a user: what is not given is cleared, role and organization apart',
      body: userChange,
      output: userAnswer,
      refuses: ['not-found', 'access-denied', 'conflict', 'still-needed'],
      async handle({ params, body, principal }) {
        return showUser(await changeUser(edges, principal, params.userId, body, 'replace'));
      },
    }),
    route({
      ...common,
      method: 'PATCH',
      summary: 'Change some fields of a user',
      body: userChange,
      output: userAnswer,
      refuses: ['not-found', 'access-denied', 'conflict', 'still-needed'],
      async handle({ params, body, principal }) {
        return showUser(await changeUser(edges, principal, params.userId, body, 'merge'));
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      summary:
        'End a membership; their API keys go on for other ones alone. Refused while devices name the user as patient',
      output: z.object({ success: z.boolean() }),
      refuses: ['not-found', 'access-denied', 'still-needed'],
      async handle({ params, principal }) {
        await removeUser(edges, principal, params.userId);
        return { success: true };
      },
    }),
  ];
}
