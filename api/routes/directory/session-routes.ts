/** Routes of sessions: signing in and out of the console, and who the caller is. */
import { z } from 'zod';
import { reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { addressBucket } from '../../../runtime/plain-address.ts';
import { type Principal, roles } from '../../access/principal.ts';
import type { DirectoryDeps } from '../../directory/directory-deps.ts';
import { inviteCode, readInvitation } from '../../directory/invitation.ts';
import { sessionCookie, writeSessionCookie } from '../../directory/session-cookie.ts';
import { cookieSeconds, endSession, keepSession, type SessionRow, sessionsFor } from '../../directory/sessions.ts';
import { type AnyRoute, type Call, route } from '../../http/route.ts';
import { sessionShown, showSession } from './begin-session.ts';

import { pairingRoutes } from './pairing-routes.ts';
import { passkeyRoutes } from './passkey-routes.ts';
import { providerRoutes } from './provider-routes.ts';
import { signInLinkRoutes } from './sign-in-link-routes.ts';
import { isFirstRun, signInRoute } from './sign-in-route.ts';

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
    keepRoute(deps),
    ...endRoutes(deps),
    ...passkeyRoutes(deps),
    ...signInLinkRoutes(deps),
    ...pairingRoutes(deps),
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
      mail: z.boolean().describe('the service sends links by mail'),
    }),
    refuses: [],
    async handle() {
      const { signInProvider, sendLinks } = deps;
      return {
        firstRun: await isFirstRun(deps),
        provider: signInProvider === undefined ? null : { name: signInProvider.name },
        mail: sendLinks !== undefined,
      };
    },
  });
}

/** Asks for nothing but the code: anyone who has it may sign in with it. */
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
    setsCookie:
      'papergate_session again, where its person stays signed in: browsers keep no cookie for longer than a year',
    refuses: [],
    async handle({ principal, headers, caller }: Call) {
      const { db } = deps;
      const { memberships, sessionId } = principal;
      const names: { id: string; name: string }[] = await db('organizations')
        .whereIn(
          'id',
          memberships.map(({ organizationId }) => organizationId),
        )
        .select('id', 'name');
      const nameOf = new Map(names.map(({ id, name }) => [id, name]));
      const own = await ownSession(deps, principal);
      if (own !== undefined && own.idle_ms !== null) setCookieAnew(own, { headers, caller });
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

async function ownSession({ db, clock }: DirectoryDeps, principal: Principal): Promise<SessionRow | undefined> {
  if (principal.sessionId === undefined) return undefined;
  return (await sessionsFor(db, principal, clock.now())).find(({ id }) => id === principal.sessionId);
}

/** Gives the browser its cookie for as long as the session now lives. */
function setCookieAnew(row: SessionRow, { headers, caller }: Pick<Call, 'headers' | 'caller'>): void {
  const secret = sessionCookie(headers);
  if (secret !== undefined) caller.setCookie(writeSessionCookie(secret, cookieSeconds(row), caller.origin()));
}

function keepRoute(deps: DirectoryDeps): AnyRoute {
  return route('PATCH /sessions/current', {
    noStore: true,
    summary: 'Stay signed in on this device, or no longer',
    audit: { action: 'session.changed', on: 'session', values: ['stays'] },
    body: z.object({ stays: z.boolean() }),
    output: sessionShown,
    setsCookie: 'papergate_session, for as long as the session now lives',
    refuses: ['not-found'],
    async handle({ principal, body, headers, caller }) {
      const own = await ownSession(deps, principal);
      if (own === undefined) throw refuse('not-found', { message: reasonOf('call-without-session') });
      await keepSession(deps.db, own, body.stays, deps.clock.now());
      const kept = (await ownSession(deps, principal)) ?? own;
      setCookieAnew(kept, { headers, caller });
      return showSession(kept, own.id);
    },
  });
}

function listRoute({ db, clock }: DirectoryDeps): AnyRoute {
  return route('GET /sessions/', {
    noStore: true,
    summary: 'The sessions of the caller’s account',
    output: z.array(sessionShown),
    refuses: [],
    async handle({ principal }) {
      return (await sessionsFor(db, principal, clock.now())).map((row) => showSession(row, principal.sessionId));
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
      async handle({ principal, caller }) {
        const { sessionId } = principal;
        if (sessionId === undefined) throw refuse('not-found', { message: reasonOf('call-without-session') });
        await endSession(db, principal, sessionId);
        caller.setCookie(writeSessionCookie('', 0, caller.origin()));
      },
    }),
    route('DELETE /sessions/:sessionId', {
      ...ending,
      summary: 'End a session of the caller’s account',
      refuses: ['not-found'],
      async handle({ principal, params }) {
        if (!(await endSession(db, principal, params.sessionId))) throw refuse('not-found');
      },
    }),
  ];
}
