/** Routes of sessions: signing in and out of the console, and who the caller is. */
import { z } from 'zod';
import { reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { type Principal, roles } from '../../access/principal.ts';
import type { DirectoryDeps } from '../../directory/directory-deps.ts';
import { inviteCode, readInvitation } from '../../directory/invitation.ts';
import { writeSessionCookie } from '../../directory/session-cookie.ts';
import { endSession, sessionsOf } from '../../directory/sessions.ts';
import { addressBucket } from '../../http/limit-rate.ts';
import { type AnyRoute, type Call, route } from '../../http/route.ts';
import { providerRoutes } from './provider-routes.ts';
import { isFirstRun, sessionShown, showSession, signInRoute } from './sign-in-route.ts';

const whoAmI = z
  .object({
    account: z.object({ id: z.string(), name: z.string().optional(), email: z.string().optional() }),
    memberships: z.array(
      z.object({
        organization: z.object({ id: z.string(), name: z.string() }),
        userId: z.string(),
        role: z.enum(roles),
        name: z.string(),
      }),
    ),
    session: sessionShown.nullable().describe('null for a caller with a key or a token'),
  })
  .meta({ id: 'WhoAmI' });

/** The routes of sessions. */
export function sessionRoutes(deps: DirectoryDeps): AnyRoute[] {
  return [
    waysRoute(deps),
    ...providerRoutes(deps),
    signInRoute(deps),
    invitationRoute(deps),
    currentRoute(deps),
    listRoute(deps),
    ...endRoutes(deps),
  ];
}

function waysRoute(deps: DirectoryDeps): AnyRoute {
  return route('GET /sessions/ways', {
    noStore: true,
    summary: 'How a person can sign in to the console',
    access: 'anyone',
    output: z.object({
      firstRun: z.boolean().describe('there is no organization yet: the link of the log makes the first one'),
      provider: z.object({ name: z.string() }).nullable(),
    }),
    refuses: [],
    async handle() {
      const { signInProvider } = deps;
      return {
        firstRun: await isFirstRun(deps),
        provider: signInProvider === undefined ? null : { name: signInProvider.name },
      };
    },
  });
}

/** Asks for nothing but the code: whoever has it may sign in with it. */
function invitationRoute(deps: DirectoryDeps): AnyRoute {
  return route('POST /sessions/invitation', {
    noStore: true,
    summary: 'What an invitation is to, before anybody signs in with its code',
    access: 'anyone',
    body: z.object({ inviteCode }),
    output: z.object({ organization: z.object({ name: z.string() }) }),
    refuses: ['not-found'],
    audit: { none: 'it changes nothing' },
    admit: ({ address }) => deps.limitJoins.count(`address ${addressBucket(address)}`),
    async handle({ body }) {
      const nobody = { accountId: '', memberships: [] };
      const { organization } = await readInvitation(deps, nobody, body.inviteCode);
      return { organization: { name: organization.name } };
    },
  });
}

function currentRoute(deps: DirectoryDeps): AnyRoute {
  return route('GET /sessions/current', {
    noStore: true,
    summary: 'Who the caller is: account, memberships, and the session if there is one',
    output: whoAmI,
    refuses: [],
    async handle({ principal }: Call) {
      const { db, clock } = deps;
      const { accountId, memberships, sessionId } = principal;
      const names: { id: string; name: string }[] = await db('organizations')
        .whereIn(
          'id',
          memberships.map(({ organizationId }) => organizationId),
        )
        .select('id', 'name');
      const nameOf = new Map(names.map(({ id, name }) => [id, name]));
      const sessions = sessionId === undefined ? [] : await sessionsOf(db, accountId, clock.now());
      const own = sessions.find(({ id }) => id === sessionId);
      return {
        account: await accountShown(deps, principal),
        memberships: memberships.map(({ organizationId: id, userId, role, name }) => ({
          organization: { id, name: nameOf.get(id) ?? '' },
          userId,
          role,
          name,
        })),
        session: own === undefined ? null : showSession(own, sessionId),
      };
    },
  });
}

async function accountShown({ db }: DirectoryDeps, { accountId, memberships: [first] }: Principal) {
  const row = await db('accounts').where({ id: accountId }).first('email', 'first_name', 'last_name');
  const name = [row?.first_name, row?.last_name].filter(Boolean).join(' ') || first?.name;
  return { id: accountId, ...(name && { name }), ...(row?.email && { email: row.email }) };
}

function listRoute({ db, clock }: DirectoryDeps): AnyRoute {
  return route('GET /sessions/', {
    noStore: true,
    summary: 'The sessions of the caller’s account',
    output: z.array(sessionShown),
    refuses: [],
    async handle({ principal: { accountId, sessionId } }) {
      return (await sessionsOf(db, accountId, clock.now())).map((row) => showSession(row, sessionId));
    },
  });
}

function endRoutes({ db }: DirectoryDeps): AnyRoute[] {
  const audit = { action: 'session.ended', on: 'session' } as const;
  const ending = { noStore: true, audit } as const;
  return [
    route('DELETE /sessions/current', {
      ...ending,
      summary: 'Sign out: the session of this call ends',
      setsCookie: 'papergate_session, ended',
      refuses: ['not-found'],
      async handle({ principal: { accountId, sessionId }, caller }) {
        if (sessionId === undefined) throw refuse('not-found', { message: reasonOf('call-without-session') });
        await endSession(db, accountId, sessionId);
        caller.setCookie(writeSessionCookie('', 0, caller.origin()));
      },
    }),
    route('DELETE /sessions/:sessionId', {
      ...ending,
      summary: 'End a session of the caller’s account',
      refuses: ['not-found'],
      async handle({ principal: { accountId }, params }) {
        if (!(await endSession(db, accountId, params.sessionId))) throw refuse('not-found');
      },
    }),
  ];
}
