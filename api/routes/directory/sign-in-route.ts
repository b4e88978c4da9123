/** Signing in to the console: with the code of a link, an API key, or by making the first organization. */

import { z } from 'zod';
import { reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import { isoTime } from '../../../runtime/clock.ts';
import { type Transaction, transact } from '../../../runtime/database.ts';
import { emailAddress } from '../../directory/address.ts';
import { createAccount, createOrganization } from '../../directory/create-organization.ts';
import type { DirectoryDeps } from '../../directory/directory-deps.ts';
import { inviteCode, join, readInvitation } from '../../directory/invitation.ts';
import { findKeyOwner } from '../../directory/keys.ts';
import { isOfOthers, writeSessionCookie } from '../../directory/session-cookie.ts';
import {
  lateOwner,
  maxSessionMs,
  type SessionRow,
  startSession,
  takeFirstRunCode,
  takeSignInCode,
} from '../../directory/sessions.ts';
import { directoryStore } from '../../directory/store.ts';
import type { Made } from '../../http/audited.ts';
import { addressBucket } from '../../http/limit-rate.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { newName } from '../../http/short-names.ts';

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
  organizationName: newName.optional().describe('first run: the name of the organization'),
  name: newName.optional().describe('first run: the name of its admin'),
  email: emailAddress.optional().describe('first run: the admin’s address'),
});

/** Tells whether there is no organization yet. */
export const isFirstRun = async ({ db }: Pick<DirectoryDeps, 'db'>): Promise<boolean> =>
  (await db('organizations').first('id')) === undefined;

/** The route by which a session begins. */
export function signInRoute(deps: DirectoryDeps): AnyRoute {
  return route('POST /sessions/', {
    noStore: true,
    summary: 'Sign in to the console with the code of a link or an API key; on a new service, make its organization',
    access: 'anyone',
    status: 201,
    body: signInBody,
    output: sessionShown,
    setsCookie: 'papergate_session, HttpOnly and SameSite=Strict',
    audit: { action: 'session.started', on: 'session' },
    refuses: ['not-authenticated', 'access-denied', 'not-found', 'conflict'],
    async admit({ address, headers, caller }) {
      // Nobody is signed in to the account of somebody else by a page that they only visit (T-69).
      if (isOfOthers(headers, caller.origin().ownHosts)) {
        throw refuse('access-denied', { hint: reasonOf('sign-in-elsewhere') });
      }
      await deps.limitSignIns.count(`address ${addressBucket(address)}`);
    },
    async handle(call) {
      const browser = call.headers['user-agent'];
      const { inviteCode: invited, name, code } = call.body;
      const late = code === undefined ? undefined : await lateOwner(deps.db, code, deps.clock.now());
      if (late !== undefined) {
        call.note({ accountId: late, refused: true, action: 'session.refused', values: { by: 'link' } });
        throw usedLink();
      }
      // Joining is a transaction of its own.
      const joined = invited === undefined ? undefined : await invitedAccount(deps, invited, name);
      const { secret, row, made } = await transact(deps.db, async (trx) => {
        const { made = [], ...owner } = joined ?? (await ownerOf(deps, trx, call.body));
        return { ...(await startSession(trx, deps, { ...owner, browser })), made };
      });
      call.note({
        id: row.id,
        accountId: row.account_id,
        sessionId: row.id,
        values: { by: wayOf(call.body) },
        ...(row.key_id !== null && { keyId: row.key_id }),
        made,
      });
      call.caller.setCookie(writeSessionCookie(secret, maxSessionMs / 1000, call.caller.origin()));
      return showSession(row, row.id);
    },
  });
}

/** The way by which somebody signed in. */
function wayOf({ apiKey, inviteCode: invited }: z.output<typeof signInBody>): 'key' | 'invitation' | 'link' {
  if (invited !== undefined) return 'invitation';
  return apiKey === undefined ? 'link' : 'key';
}

/** The account that signs in, and what was made for it. */
interface Owner {
  readonly accountId: string;
  readonly keyId?: string;
  readonly made?: readonly Made[];
}

/**
 * Returns the account that signs in. A code is used up in the transaction that begins the session.
 * @throws Refusal `not-authenticated` for a wrong code or key
 */
async function ownerOf(deps: DirectoryDeps, trx: Transaction, given: z.output<typeof signInBody>): Promise<Owner> {
  if (given.apiKey !== undefined) {
    const owner = await findKeyOwner(trx, given.apiKey);
    if (owner === undefined) throw refuse('not-authenticated', { message: reasonOf('no-such-key') });
    return { accountId: owner.accountId, keyId: owner.keyId };
  }
  if (given.code === undefined) throw refuse('invalid-request', { hint: reasonOf('sign-in-by-nothing') });
  if (given.organizationName !== undefined) return firstAccount(deps, trx, given);
  const accountId = await takeSignInCode(trx, given.code, deps.clock.now());
  if (accountId === undefined) throw usedLink();
  return { accountId };
}

/**
 * Makes an account for somebody who was invited and has none here, and lets it become the invited user.
 * @throws Refusal `not-found` for a code that is wrong, spent, withdrawn or too old
 */
async function invitedAccount(deps: DirectoryDeps, code: string, name: string | undefined): Promise<Owner> {
  const nobody = { accountId: '', memberships: [] };
  const { user, organization } = await readInvitation(deps, nobody, code);
  const { db, random } = deps;
  const known = { email: user.email, name: name ?? user.name, subject: `console|${random.id()}` };
  // Whoever invited may be the same person: what was invited shares the organization's allowance, wherever it goes (T-77).
  const vouchedBy = organization.vouched_by ?? organization.id;
  const accountId = await createAccount(db, deps, { ...known, vouchedBy });
  try {
    const { id } = await join(deps, { ...nobody, accountId }, code);
    if (name !== undefined) await directoryStore(db).changeUser(id, { name });
    return {
      accountId,
      made: [
        { action: 'account.created', on: 'account', id: accountId },
        { action: 'user.joined', on: 'user', id },
      ],
    };
  } catch (error) {
    await directoryStore(db).removeAccount(accountId);
    throw error;
  }
}

const usedLink = () =>
  refuse('not-authenticated', {
    message: reasonOf('link-used'),
    hint: 'get another one: papergate console',
  });

/** Makes the first organization. Its link is used up with it, so that of two who open one the second is told. */
async function firstAccount(
  deps: DirectoryDeps,
  trx: Transaction,
  { code = '', organizationName, name, email }: z.output<typeof signInBody>,
): Promise<Owner> {
  if (organizationName === undefined || name === undefined || email === undefined) {
    throw refuse('invalid-request', { hint: reasonOf('first-run-lacks') });
  }
  if (!(await takeFirstRunCode(trx, code, deps.clock.now()))) throw usedLink();
  if (!(await isFirstRun({ db: trx }))) {
    throw refuse('conflict', { message: reasonOf('organization-exists'), hint: 'ask for a link to it' });
  }
  const admin = { name, email };
  const wanted = { name: organizationName, email, kind: null, admin };
  const { accountId, organizationId } = await createOrganization(trx, deps, wanted);
  return {
    accountId,
    made: [
      { action: 'organization.created', on: 'organization', id: organizationId },
      { action: 'account.created', on: 'account', id: accountId },
    ],
  };
}
