/** Signing in to the console: with the code of a link, an API key, or by making the first organization. */
import { z } from 'zod';
import { isoTime } from '../../../runtime/clock.ts';
import { transact } from '../../../runtime/database.ts';
import { refuse } from '../../../runtime/refusals.ts';
import { emailAddress } from '../../directory/address.ts';
import { createAccount, createOrganization } from '../../directory/create-organization.ts';
import type { DirectoryDeps } from '../../directory/directory-deps.ts';
import { inviteCode, join, readInvitation } from '../../directory/invitation.ts';
import { findKeyOwner } from '../../directory/keys.ts';
import { writeSessionCookie } from '../../directory/session-cookie.ts';
import {
  isSignInCode,
  longestSessionMs,
  type SessionRow,
  startSession,
  takeSignInCode,
} from '../../directory/sessions.ts';
import { directoryStore } from '../../directory/store.ts';
import { noParams } from '../../http/field-shapes.ts';
import { addressBucket } from '../../http/limit-rate.ts';
import { type AnyRoute, route } from '../../http/route.ts';

export const sessionShown = z
  .object({
    id: z.string(),
    createdAt: z.string(),
    usedAt: z.string().describe('to the hour'),
    endsAt: z.string().describe('at the latest; seven days without use end it sooner'),
    browser: z.string().nullable().describe('what the browser said of itself'),
    isCurrent: z.boolean(),
  })
  .meta({ id: 'Session' });

/** Presents a session; `current` is the id of the caller's own. */
export const showSession = (row: SessionRow, current: string | undefined): z.input<typeof sessionShown> => ({
  id: row.id,
  createdAt: isoTime(row.created_at),
  usedAt: isoTime(row.used_at),
  endsAt: isoTime(row.ends_at),
  browser: row.browser,
  isCurrent: row.id === current,
});

const signInBody = z.object({
  code: z.string().max(100).optional().describe('of a sign-in link; it works once, for ten minutes'),
  apiKey: z.string().max(100).optional(),
  inviteCode: inviteCode.optional().describe('of an invitation: makes an account, and it becomes the invited user'),
  organizationName: z.string().trim().min(1).max(200).optional().describe('first run: the name of the organization'),
  name: z.string().trim().min(1).max(200).optional().describe('first run: the name of its admin'),
  email: emailAddress.optional().describe('first run: the admin’s address'),
});

/** Tells whether there is no organization yet. */
export const isFirstRun = async ({ db }: Pick<DirectoryDeps, 'db'>): Promise<boolean> =>
  (await db('organizations').first('id')) === undefined;

/** The route by which a session begins. */
export function signInRoute(deps: DirectoryDeps): AnyRoute {
  return route({
    noStore: true,
    method: 'POST',
    path: '/sessions/',
    summary: 'Sign in to the console with the code of a link or an API key; on a new service, make its organization',
    access: 'anyone',
    status: 201,
    params: noParams,
    body: signInBody,
    output: sessionShown,
    setsCookie: 'papergate_session, HttpOnly and SameSite=Strict',
    refuses: ['not-authenticated', 'not-found', 'conflict'],
    admit: ({ address }) => deps.limitSignIns.count(`address ${addressBucket(address)}`),
    async handle(call) {
      const accountId = await accountOf(deps, call.body);
      const browser = call.headers['user-agent'];
      const { secret, row } = await startSession(deps.db, deps, { accountId, browser });
      call.setCookie(writeSessionCookie(secret, longestSessionMs / 1000, call.origin));
      return showSession(row, row.id);
    },
  });
}

/**
 * Returns the account that signs in.
 * @throws Refusal `not-authenticated` for a wrong code or key
 */
async function accountOf(deps: DirectoryDeps, given: z.output<typeof signInBody>): Promise<string> {
  if (given.apiKey !== undefined) {
    const owner = await findKeyOwner(deps.db, given.apiKey);
    if (owner === undefined) throw refuse('not-authenticated', { message: 'This is no API key of this service' });
    return owner.accountId;
  }
  if (given.inviteCode !== undefined) return invitedAccount(deps, given.inviteCode, given.name);
  if (given.code === undefined) throw refuse('invalid-request', { hint: 'send code, apiKey or inviteCode' });
  if (given.organizationName !== undefined) return firstAccount(deps, given);
  const found = await takeSignInCode(deps.db, given.code, deps.clock.now());
  if (found === undefined || found.account_id === null) throw usedLink();
  return found.account_id;
}

/**
 * Makes an account for somebody who was invited and has none here, and lets it become the invited user.
 * @throws Refusal `not-found` for a code that is wrong, spent, withdrawn or too old
 */
async function invitedAccount(deps: DirectoryDeps, code: string, name: string | undefined): Promise<string> {
  const nobody = { accountId: '', memberships: [] };
  const { user } = await readInvitation(deps, nobody, code);
  const { db, random } = deps;
  const known = { email: user.email, name: name ?? user.name, subject: `console|${random.id()}` };
  const accountId = await createAccount(db, deps, known);
  try {
    const { id } = await join(deps, { ...nobody, accountId }, code);
    if (name !== undefined) await directoryStore(db).changeUser(id, { name });
    return accountId;
  } catch (error) {
    await directoryStore(db).removeAccount(accountId);
    throw error;
  }
}

const usedLink = () =>
  refuse('not-authenticated', {
    message: 'This link has expired or was used',
    hint: 'get another one: papergate console',
  });

/** Makes the first organization. The code is used up only when it is made. */
async function firstAccount(deps: DirectoryDeps, given: z.output<typeof signInBody>): Promise<string> {
  const { code = '', organizationName, name, email } = given;
  if (organizationName === undefined || name === undefined || email === undefined) {
    throw refuse('invalid-request', { hint: 'the first run needs organizationName, name and email' });
  }
  if (!(await isSignInCode(deps.db, code, deps.clock.now()))) throw usedLink();
  return transact(deps.db, async (trx) => {
    const inTransaction = { ...deps, db: trx };
    if (!(await isFirstRun(inTransaction))) {
      throw refuse('conflict', {
        message: 'Somebody was first: there is an organization',
        hint: 'ask for a link to it',
      });
    }
    if ((await takeSignInCode(trx, code, deps.clock.now())) === undefined) throw usedLink();
    const made = await createOrganization(trx, deps, {
      name: organizationName,
      email,
      kind: null,
      admin: { name, email },
    });
    return made.accountId;
  });
}
