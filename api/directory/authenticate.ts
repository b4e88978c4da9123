/** Authenticates the caller by an API key, a bearer JWT or a session, with the memberships of this very moment. */
import type { IncomingHttpHeaders } from 'node:http';
import { reasonOf } from '../../reasons/reason.ts';
import { type Refusal, refuse } from '../../reasons/refusals.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { Database } from '../../runtime/database/database.ts';
import type { Authenticate, Principal } from '../access/principal.ts';
import { type CreateDeps, createAccount } from './create-organization.ts';
import { findKeyOwner } from './keys.ts';
import { isOfConsole, sessionCookie } from './session-cookie.ts';
import { findSessionOwner } from './sessions.ts';
import { type AccountRow, directoryStore } from './store.ts';
import type { ProvedPerson, TokenVerifier, VerifiedToken } from './verify-token.ts';

export interface AuthenticateDeps extends Pick<CommonDeps, 'db' | 'clock' | 'random'> {
  readonly verifyToken: TokenVerifier;
}

/**
 * Makes the check of credentials. When several are present a valid key wins, and a wrong key falls through to the token
 * (C-41). A session counts only where neither is sent.
 */
export function createAuthenticate(deps: AuthenticateDeps): Authenticate {
  return async (headers, ownHosts) => {
    const key = headers['x-api-key'];
    const byKey = typeof key === 'string' ? await findKeyOwner(deps.db, key) : undefined;
    if (byKey !== undefined) return byKey;
    const token = /^Bearer +([A-Za-z0-9_.-]+)$/i.exec(headers.authorization ?? '')?.[1];
    if (token === undefined) return bySession(deps, headers, ownHosts);
    const verified = await verify(deps, token);
    const { id: accountId, vouched_by: vouchedBy } = await accountOfToken(deps, verified);
    const memberships = await directoryStore(deps.db).membershipsOf(accountId);
    const { isMfaEnabled } = verified;
    return {
      accountId,
      memberships,
      ...(vouchedBy !== null && { vouchedBy }),
      ...(isMfaEnabled !== undefined && { isMfaEnabled }),
    };
  };
}

async function bySession(
  { db, clock }: AuthenticateDeps,
  headers: IncomingHttpHeaders,
  ownHosts: () => readonly string[],
): Promise<Principal> {
  const cookie = sessionCookie(headers);
  if (cookie === undefined || !isOfConsole(headers, ownHosts())) throw refuse('not-authenticated');
  const principal = await findSessionOwner(db, cookie, clock.now());
  if (principal === undefined) throw refuse('not-authenticated', { hint: reasonOf('sign-in-again') });
  return principal;
}

async function verify(deps: AuthenticateDeps, token: string): Promise<VerifiedToken> {
  const verified = await deps.verifyToken(token);
  // The web client refreshes its login on exactly this message (C-32).
  if (verified === 'expired') throw refuseToken('jwt expired');
  if (verified === 'early') throw refuse('not-authenticated', { hint: reasonOf('token-of-future') });
  if (verified === 'wrong') throw refuse('not-authenticated');
  return verified;
}

type FoundAccount = Pick<AccountRow, 'id' | 'vouched_by'>;

async function accountOfToken(deps: AuthenticateDeps, verified: VerifiedToken): Promise<FoundAccount> {
  if (verified.accountId !== undefined) {
    const account = await directoryStore(deps.db).account(verified.accountId);
    if (account === undefined) throw refuse('not-authenticated');
    return account;
  }
  return accountOfPerson(deps, verified);
}

/**
 * Returns the account of a person whom the identity provider attests, and makes it when they come for the first time.
 * To see anything they need a membership.
 */
export async function accountOfPerson(
  deps: CreateDeps & { readonly db: Database },
  person: ProvedPerson,
): Promise<FoundAccount> {
  const known = await directoryStore(deps.db).accountOfSubject(person.subject);
  return known ?? { id: await createAccount(deps.db, deps, person), vouched_by: null };
}

function refuseToken(message: string): Refusal {
  return refuse('not-authenticated', { message });
}
