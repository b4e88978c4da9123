/** Signing in to the console: with the code of a link, an API key, or by making the first organization. */

import { z } from 'zod';
import { reasonOf } from '../../../reasons/reason.ts';
import { refuse } from '../../../reasons/refusals.ts';
import type { Transaction } from '../../../runtime/database/database.ts';
import { emailAddress } from '../../directory/address.ts';
import { createAccount, createOrganization } from '../../directory/create-organization.ts';
import type { DirectoryDeps } from '../../directory/directory-deps.ts';
import { inviteCode, join, readInvitation } from '../../directory/invitation.ts';
import { findKeyOwner } from '../../directory/keys.ts';
import { lateOwner, takeFirstRunCode, takeSignInCode } from '../../directory/sessions.ts';
import { directoryStore } from '../../directory/store.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { newName } from '../../http/short-names.ts';
import { admitSignIn, beginSession, type FoundOwner, signInCommon, stays } from './begin-session.ts';

const signInBody = z.object({
  code: z.string().max(100).optional().describe('of a sign-in link; it works once, for ten minutes'),
  apiKey: z.string().max(100).optional(),
  inviteCode: inviteCode.optional().describe('of an invitation: makes an account, and it becomes the invited user'),
  organizationName: newName.optional().describe('first run: the name of the organization'),
  name: newName.optional().describe('first run: the name of its admin'),
  email: emailAddress.optional().describe('first run: the admin’s address'),
  stays,
});

/** Returns whether there is no organization yet. */
export const isFirstRun = async ({ db }: Pick<DirectoryDeps, 'db'>): Promise<boolean> =>
  (await db('organizations').first('id')) === undefined;

/** The route by which a session begins. */
export function signInRoute(deps: DirectoryDeps): AnyRoute {
  return route('POST /sessions/', {
    ...signInCommon,
    summary: 'Sign in to the console with the code of a link or an API key; on a new service, make its organization',
    body: signInBody,
    refuses: ['not-authenticated', 'access-denied', 'not-found', 'conflict'],
    admit: admitSignIn(deps),
    async handle(call) {
      const { inviteCode: invited, name, code } = call.body;
      const late = code === undefined ? undefined : await lateOwner(deps.db, code, deps.clock.now());
      if (late !== undefined) {
        call.note({ accountId: late, refused: true, action: 'session.refused', values: { by: 'link' } });
        throw usedLink();
      }
      // Joining has its own transaction.
      const joined = invited === undefined ? undefined : await invitedAccount(deps, invited, name);
      return beginSession(deps, call, call.body.stays, async (trx) => joined ?? ownerOf(deps, trx, call.body));
    },
  });
}

/**
 * Returns the account that signs in. A code is used up in the transaction that begins the session.
 * @throws Refusal `not-authenticated` for a wrong code or key
 */
async function ownerOf(deps: DirectoryDeps, trx: Transaction, given: z.output<typeof signInBody>): Promise<FoundOwner> {
  if (given.apiKey !== undefined) {
    const owner = await findKeyOwner(trx, given.apiKey);
    if (owner === undefined) throw refuse('not-authenticated', { message: reasonOf('no-such-key') });
    return { accountId: owner.accountId, way: 'key', keyId: owner.keyId, onlyIn: owner.onlyIn };
  }
  if (given.code === undefined) throw refuse('invalid-request', { hint: reasonOf('sign-in-by-nothing') });
  if (given.organizationName !== undefined) return firstAccount(deps, trx, given);
  const accountId = await takeSignInCode(trx, given.code, deps.clock.now());
  if (accountId === undefined) throw usedLink();
  return { accountId, way: 'link' };
}

/**
 * Makes an account for somebody who was invited and has none here, and lets it become the invited user.
 * @throws Refusal `not-found` for a code that is wrong, spent, withdrawn or too old
 */
async function invitedAccount(deps: DirectoryDeps, code: string, name: string | undefined): Promise<FoundOwner> {
  const nobody = { accountId: '', memberships: [] };
  const { user, organization } = await readInvitation(deps, nobody, code);
  const { db, random } = deps;
  const known = { email: user.email, name: name ?? user.name, subject: `console|${random.id()}` };
  // The person who invited may be the same person: what was invited shares the organization's allowance, wherever it goes (T-77).
  const vouchedBy = organization.vouched_by ?? organization.id;
  const accountId = await createAccount(db, deps, { ...known, vouchedBy });
  try {
    const { id } = await join(deps, { ...nobody, accountId }, code);
    if (name !== undefined) await directoryStore(db).changeUser(id, { name });
    return {
      accountId,
      way: 'invitation',
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

/** Makes the first organization. Its link is used up with it, so that of two who open one the second is refused. */
async function firstAccount(
  deps: DirectoryDeps,
  trx: Transaction,
  { code = '', organizationName, name, email }: z.output<typeof signInBody>,
): Promise<FoundOwner> {
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
    way: 'link',
    made: [
      { action: 'organization.created', on: 'organization', id: organizationId },
      { action: 'account.created', on: 'account', id: accountId },
    ],
  };
}
