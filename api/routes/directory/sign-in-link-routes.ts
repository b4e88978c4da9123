/** Routes of sign-in links: made by an administrator for a member, or sent by mail; looked at, and used. */
import { z } from 'zod';
import { reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { isoTime, isoTimeOrNull } from '../../../runtime/clock.ts';
import { transact } from '../../../runtime/database/database.ts';
import { inBackground } from '../../../runtime/in-background.ts';
import { isReachedOnlyHere } from '../../../runtime/join-address.ts';
import { isVisibleTo, membershipIn, type Principal, requireMembership } from '../../access/principal.ts';
import { emailAddress } from '../../directory/address.ts';
import { requireAdminNow } from '../../directory/change-user.ts';
import type { DirectoryDeps } from '../../directory/directory-deps.ts';
import { mailCookie, mailLinks, writeMailCookie } from '../../directory/mail-links.ts';
import { isFirstRunCode } from '../../directory/sessions.ts';
import {
  linksInto,
  type MadeSignInLink,
  makeMemberLink,
  readSignInLink,
  useLink,
} from '../../directory/sign-in-links.ts';
import { directoryStore, invitedSubject } from '../../directory/store.ts';
import { type AnyRoute, type Call, route } from '../../http/route.ts';
import { admitSignIn, beginSession, signInCommon, stays } from './begin-session.ts';

const code = z.string().min(1).max(100).describe('what stands behind the # of the link');

const linkShown = z
  .object({
    id: z.string(),
    madeBy: z.string().nullable().describe('the administrator; null for one that went by mail'),
    createdAt: z.string(),
    endsAt: z.string(),
    usedAt: z.string().nullable(),
  })
  .meta({ id: 'SignInLink' });

/** The routes. */
export function signInLinkRoutes(deps: DirectoryDeps): AnyRoute[] {
  return [
    memberLinkRoute(deps),
    listRoute(deps),
    withdrawRoute(deps),
    lookRoute(deps),
    useRoute(deps),
    mailRoute(deps),
  ];
}

function memberLinkRoute(deps: DirectoryDeps): AnyRoute {
  return route('POST /users/:userId/sign-in-link', {
    noStore: true,
    summary:
      'Make a link with which a member signs in to this organization, once, within a day. The one made before ends; its address is shown once',
    audit: { action: 'sign-in-link.made', on: 'user' },
    status: 201,
    output: z.object({
      url: z.string().describe('its code stands behind the #, and is kept nowhere here'),
      endsAt: z.string(),
    }),
    refuses: ['not-found', 'access-denied', 'conflict'],
    async handle({ params, principal, caller }) {
      const made = await linkForMember(deps, principal, params.userId);
      return { url: `${caller.origin().base}/console/#link=${made.code}`, endsAt: isoTime(made.row.ends_at) };
    },
  });
}

/**
 * Makes the link, for a member of an organization that the caller manages at this moment.
 * @throws Refusal `not-found`, `access-denied`, `conflict` for somebody who has not joined
 */
function linkForMember(deps: DirectoryDeps, principal: Principal, userId: string): Promise<MadeSignInLink> {
  return transact(deps.db, async (trx) => {
    const store = directoryStore(trx);
    const user = await store.user(userId);
    const membership = user && membershipIn(principal, user.organization_id);
    if (user === undefined || !isVisibleTo(membership, userId)) throw refuse('not-found');
    const { userId: madeBy, organizationId } = requireMembership(principal, user.organization_id, 'manage');
    await requireAdminNow(trx, principal, organizationId);
    const { account_subject: subject, account_id: accountId } = await store.shownUser(userId);
    if (subject.startsWith(invitedSubject(''))) throw refuse('conflict', { message: reasonOf('not-joined') });
    return makeMemberLink(trx, deps, { accountId, organizationId }, madeBy);
  });
}

function listRoute({ db }: DirectoryDeps): AnyRoute {
  return route('GET /sessions/links/', {
    noStore: true,
    summary: 'The sign-in links that were made for the caller’s account or sent to it, of the last thirty days',
    output: z.array(linkShown),
    refuses: [],
    async handle({ principal: { accountId, memberships } }) {
      const into = memberships.map(({ organizationId }) => organizationId);
      return (await linksInto(db, accountId, into)).map(({ id, made_by, maker, created_at, ends_at, used_at }) => ({
        id,
        madeBy: made_by === null ? null : (maker ?? ''),
        createdAt: isoTime(created_at),
        endsAt: isoTime(ends_at),
        usedAt: isoTimeOrNull(used_at),
      }));
    },
  });
}

function withdrawRoute({ db }: DirectoryDeps): AnyRoute {
  return route('DELETE /sessions/links/:linkId', {
    noStore: true,
    summary: 'Withdraw a sign-in link of the caller’s account that nobody has used yet',
    audit: { none: 'it no longer lets anybody in' },
    refuses: ['not-found'],
    async handle({ params, principal: { accountId, memberships } }) {
      const into = memberships.map(({ organizationId }) => organizationId);
      const known = (await linksInto(db, accountId, into)).some(
        ({ id, used_at }) => id === params.linkId && used_at === null,
      );
      if (!known) throw refuse('not-found');
      await db('sign_in_links').where({ id: params.linkId, used_at: null }).delete();
    },
  });
}

/** Asks for nothing but the code: anyone who has it may sign in with it. */
function lookRoute(deps: DirectoryDeps): AnyRoute {
  return route('POST /sessions/link/look', {
    noStore: true,
    summary: 'What a sign-in link or the link of the first run is for, before anybody uses it',
    access: 'anyone',
    body: z.object({ code }),
    output: z.object({
      firstRun: z.boolean(),
      organization: z.string().optional(),
      name: z.string().describe('of the member').optional(),
    }),
    refuses: ['not-authenticated', 'access-denied'],
    audit: { none: 'it changes nothing' },
    admit: admitSignIn(deps),
    async handle({ body, headers }) {
      const { db, clock } = deps;
      if (await isFirstRunCode(db, body.code, clock.now())) return { firstRun: true };
      const { user, organization } = await readSignInLink(db, body.code, mailCookie(headers), clock.now());
      return { firstRun: false, organization: organization.name, name: user.name };
    },
  });
}

function useRoute(deps: DirectoryDeps): AnyRoute {
  return route('POST /sessions/link', {
    ...signInCommon,
    summary: 'Sign in to one organization with a link of its administrator, or one that came by mail',
    body: z.object({ code, stays }),
    refuses: ['not-authenticated', 'access-denied'],
    admit: admitSignIn(deps),
    async handle(call) {
      const now = deps.clock.now();
      return beginSession(deps, call, call.body.stays, async (trx) => {
        const { row } = await readSignInLink(trx, call.body.code, mailCookie(call.headers), now);
        await useLink(trx, row, now);
        const way = row.made_by === null ? 'mail' : 'member-link';
        return { accountId: row.account_id, way, onlyIn: row.organization_id };
      });
    },
  });
}

function mailRoute(deps: DirectoryDeps): AnyRoute {
  return route('POST /sessions/mail', {
    noStore: true,
    summary: 'Send a sign-in link to an address, if somebody here has it. The answer does not say so',
    access: 'anyone',
    status: 202,
    body: z.object({
      email: emailAddress,
      language: z.string().max(20).optional().describe('of the email; English where it is not known'),
    }),
    output: z.object({ minutes: z.number().describe('for which a link works') }),
    setsCookie: 'papergate_mail_link, HttpOnly and SameSite=Strict: the link works in this browser',
    refuses: ['not-found', 'access-denied', 'conflict'],
    audit: { none: 'nobody is signed in yet' },
    admit: admitSignIn(deps),
    async handle({ body, headers, caller }: Call<unknown, unknown, { email: string; language?: string | undefined }>) {
      if (deps.sendLinks === undefined) throw refuse('not-found', { message: reasonOf('no-sign-in-mail') });
      requireNamedAddress(deps.publicUrl(), caller.origin().origin);
      const browserSecret = mailCookie(headers) ?? deps.random.secret(32);
      caller.setCookie(writeMailCookie(browserSecret, caller.origin()));
      const { email, language = 'en' } = body;
      // Whether somebody has the address must not show in the time that the answer takes.
      inBackground(deps.logger, 'send a sign-in link', () => mailLinks(deps, { email, language, browserSecret }));
      return { minutes: 15 };
    },
  });
}

/**
 * Refuses a mail whose link would lead its reader to their own machine. The address that was asked is not used instead: a
 * caller may write any host there, and people would sign in at it (T-107).
 */
function requireNamedAddress(publicUrl: string, asked: string): void {
  if (!isReachedOnlyHere(publicUrl) || isReachedOnlyHere(asked)) return;
  throw refuse('conflict', {
    message: reasonOf('mail-link-leads-nowhere', { address: publicUrl }),
    hint: 'set PAPERGATE_HOST or PAPERGATE_PUBLIC_URL',
  });
}
