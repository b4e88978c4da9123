/** Routes of users: the members of an organization. */
import { z } from 'zod';
import { refuse } from '../../../reasons/refusals.ts';
import type { Database } from '../../../runtime/database/database.ts';
import { orderedSql } from '../../../runtime/fold-text.ts';
import { addressBucket } from '../../../runtime/plain-address.ts';
import { isVisibleTo, membershipIn, type Principal, reachOf, roles } from '../../access/principal.ts';
import { knownAddress } from '../../directory/address.ts';
import { changeUser, removeUser, userChange } from '../../directory/change-user.ts';
import type { DirectoryDeps } from '../../directory/directory-deps.ts';
import { createUser, inviteCode, join, readInvitation } from '../../directory/invitation.ts';
import { requireNotNarrow } from '../../directory/narrow-credential.ts';
import { showUser, type UserAnswer, userAnswer } from '../../directory/show-user.ts';
import { directoryStore, type ShownUserRow } from '../../directory/store.ts';
import { ageOf } from '../../directory/user-age.ts';
import { objectId, openObject } from '../../http/field-shapes.ts';
import { countInAll } from '../../http/limit-rate.ts';
import { likePattern, listQuery, orderOf, pageOf } from '../../http/list-query.ts';
import { type AnyRoute, type Call, route } from '../../http/route.ts';
import { countLinks, linkFields } from './link-routes.ts';

const templateUser = z.object({ id: z.string(), name: z.string(), age: z.number() }).meta({ id: 'TemplateUser' });

const sortableColumns = (db: Database) => ({
  id: 'id',
  name: orderedSql(db, 'name'),
  email: 'email',
  role: 'role',
  category: 'category',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
});

/** Presents a user as far as the caller may see them. */
function shown(deps: DirectoryDeps, row: ShownUserRow, principal: Principal): UserAnswer {
  return showUser(deps, row, membershipIn(principal, row.organization_id));
}

export function userRoutes(deps: DirectoryDeps): AnyRoute[] {
  return [listRoute(deps), ...invitationRoutes(deps), ...readRoutes(deps), ...changeRoutes(deps)];
}

function listRoute(deps: DirectoryDeps): AnyRoute {
  return route('GET /users/', {
    summary: 'Users of an organization',
    noStore: true,
    query: z.object({ ...listQuery, organization: objectId }),
    output: z.array(userAnswer),
    async handle({ query, principal }) {
      const membership = membershipIn(principal, query.organization);
      if (membership === undefined) throw refuse('not-found');
      const { limit, offset } = pageOf(query);
      const name = likePattern(query.name);
      const pattern = likePattern(query.search);
      const rows = await directoryStore(deps.db).users({
        organizationId: query.organization,
        ...(reachOf(membership) === 'organization' ? {} : { userId: membership.userId }),
        ...(name === undefined ? {} : { name }),
        ...(pattern === undefined ? {} : { search: { text: query.search ?? '', pattern } }),
        ...(query.role === undefined ? {} : { role: query.role }),
        order: orderOf(query.sortBy, sortableColumns(deps.db)),
        limit,
        offset,
      });
      return rows.map((row) => showUser(deps, row, membership));
    },
  });
}

/** Routes that make and redeem invitations: the contract in the field has only the `inviteCode`. */
function invitationRoutes(deps: DirectoryDeps): AnyRoute[] {
  const redeeming = {
    body: z.object({ inviteCode }),
    refuses: ['not-found', 'conflict'],
    admit: ({ address, principal }: Pick<Call, 'address' | 'principal'>) =>
      countInAll([
        [deps.limitJoins, addressBucket(address)],
        [deps.limitJoins, `account ${principal.accountId}`],
      ]),
  } as const;
  return [
    route('POST /users/', {
      audit: { action: 'user.added', on: 'user', values: ['role', 'email', 'name', 'category'] },
      summary:
        'Make a user. With an e-mail address it is an invitation, and has the code that makes its finder that user',
      noStore: true,
      body: z.object({
        organization: objectId,
        role: z.enum(roles).default('user'),
        ...userChange.pick({ email: true, name: true, category: true, timezone: true, avatar: true }).shape,
        meta: openObject.optional(),
        ...linkFields,
      }),
      output: userAnswer,
      refuses: ['not-found', 'access-denied', 'conflict'],
      async handle({ body, principal, note }) {
        note({ values: countLinks(body) });
        return shown(deps, await createUser(deps, principal, body), principal);
      },
    }),
    route('POST /users/invitation', {
      ...redeeming,
      audit: { none: 'it changes nothing' },
      noStore: true,
      summary: 'What an invitation is to, for anyone who has its code',
      output: z.object({
        role: z.enum(roles),
        email: z.email().optional(),
        organization: z.object({ id: z.string(), name: z.string() }),
      }),
      async handle({ body, principal }) {
        const { user, organization } = await readInvitation(deps, principal, body.inviteCode);
        const { id, name } = organization;
        return { role: user.role, ...knownAddress(user.email), organization: { id, name } };
      },
    }),
    route('POST /users/join', {
      ...redeeming,
      refuses: ['not-found', 'conflict', 'access-denied'],
      audit: { action: 'user.joined', on: 'user' },
      summary: 'Redeem an invitation: the caller becomes the user that it was made for',
      output: userAnswer,
      async handle({ body, principal, note }) {
        requireNotNarrow(principal);
        const user = await join(deps, principal, body.inviteCode);
        note({ organizationId: user.organization_id });
        return shown(deps, user, principal);
      },
    }),
  ];
}

function readRoutes(deps: DirectoryDeps): AnyRoute[] {
  /** Finds the user, if the caller may see them. */
  const visible = async (principal: Principal, userId: string): Promise<ShownUserRow | undefined> => {
    const store = directoryStore(deps.db);
    const user = await store.user(userId);
    const isVisible = user !== undefined && isVisibleTo(membershipIn(principal, user.organization_id), userId);
    return isVisible ? store.shownUser(userId) : undefined;
  };
  const age = ({ meta }: ShownUserRow): number => ageOf(meta, deps.clock.now());
  return [
    route('GET /usersnnn/:userId', {
      noStore: true,
      summary: 'The template user',
      output: templateUser,
      refuses: ['not-found'],
      async handle({ params, principal }) {
        const user = await visible(principal, params.userId);
        if (user === undefined) throw refuse('not-found');
        return { id: user.id, name: user.name, age: age(user) };
      },
    }),
    route('GET /users/:userId', {
      noStore: true,
      summary: 'One user, as a list of one; 204 when there is none to see',
      output: z.array(userAnswer.extend({ age: z.number() })).optional(),
      refuses: [],
      async handle({ params, principal }) {
        const user = await visible(principal, params.userId);
        // The contract lists this path twice, and both rows are kept.
        return user === undefined ? undefined : [{ ...shown(deps, user, principal), age: age(user) }];
      },
    }),
  ];
}

/** The record of a change in the log of who did what. */
const changedValues = ['role', 'name', 'email', 'category', 'organization', 'timezone'] as const;

const changes = [
  ['POST', 'replace', 'Replace what is known of a user: what is not given is cleared, role and organization apart'],
  ['PATCH', 'merge', 'Change some fields of a user'],
] as const;

function changeRoutes(deps: DirectoryDeps): AnyRoute[] {
  return [
    ...changes.map(([method, how, summary]) =>
      route(`${method} /users/:userId`, {
        noStore: true,
        summary,
        audit: { action: 'user.changed', on: 'user', values: changedValues },
        body: userChange,
        output: userAnswer,
        refuses: ['not-found', 'access-denied', 'conflict', 'still-needed'],
        async handle({ params, body, principal }) {
          const changed = await changeUser(deps, principal, params.userId, { requested: body, how });
          return shown(deps, changed, principal);
        },
      }),
    ),
    route('DELETE /users/:userId', {
      noStore: true,
      audit: { action: 'user.removed', on: 'user' },
      summary:
        'End a membership; their API keys go on for other ones alone. Refused while devices name the user as patient',
      output: z.object({ success: z.boolean() }),
      refuses: ['not-found', 'access-denied', 'still-needed'],
      async handle({ params, principal }) {
        await removeUser(deps, principal, params.userId);
        return { success: true };
      },
    }),
  ];
}
