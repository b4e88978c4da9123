/** Who calls: an API key, or a bearer JWT, with the memberships of this very moment (C-38, C-40, C-41). */
import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from '../../gateway/runtime/clock.ts';
import type { Database } from '../../gateway/runtime/database.ts';
import type { Random } from '../../gateway/runtime/random.ts';
import { type Refusal, refuse } from '../../gateway/runtime/refusals.ts';
import { createAccount } from '../directory/create-organization.ts';
import { findKeyOwner } from '../directory/keys.ts';
import type { Principal } from '../directory/principal.ts';
import { directoryStore } from '../directory/store.ts';
import type { TokenVerifier } from './verify-token.ts';

/** A caller, and the bucket their calls are counted in. */
interface Authenticated {
  readonly principal: Principal;
  readonly credential: string;
}

/** @throws Refusal `not-authenticated` */
export type Authenticate = (headers: IncomingHttpHeaders) => Promise<Authenticated>;

/** What authentication needs from outside. */
export interface AuthenticateEdges {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly verifyToken: TokenVerifier;
}

/** With both credentials present a valid key wins; a wrong key falls through to the token (C-41). */
export function createAuthenticate(edges: AuthenticateEdges): Authenticate {
  return async (headers) => {
    const key = headers['x-api-key'];
    const byKey = typeof key === 'string' ? await findKeyOwner(edges.database, key) : undefined;
    if (byKey !== undefined) return { principal: byKey.principal, credential: `key ${byKey.keyId}` };
    const token = /^Bearer +([A-Za-z0-9_.-]+)$/i.exec(headers.authorization ?? '')?.[1];
    if (token === undefined) throw refuse('not-authenticated');
    const accountId = await accountOfToken(edges, token);
    return asPrincipal(edges, accountId, `account ${accountId}`);
  };
}

async function asPrincipal(edges: AuthenticateEdges, accountId: string, credential: string): Promise<Authenticated> {
  const memberships = await directoryStore(edges.database).membershipsOf(accountId);
  return { principal: { accountId, memberships }, credential };
}

async function accountOfToken(edges: AuthenticateEdges, token: string): Promise<string> {
  const verified = await edges.verifyToken(token);
  // The web client refreshes its login on exactly this message (C-32).
  if (verified === 'expired') throw refuseToken('jwt expired');
  if (verified === 'wrong') throw refuse('not-authenticated');
  const store = directoryStore(edges.database);
  if (verified.accountId !== undefined) {
    const account = await store.account(verified.accountId);
    if (account === undefined) throw refuse('not-authenticated');
    return account.id;
  }
  // whom the identity provider vouches for has an account; what they may see needs a membership.
  const known = await store.accountOfSubject(verified.subject);
  return known?.id ?? createAccount(edges.database, edges, verified);
}

function refuseToken(message: string): Refusal {
  return refuse('not-authenticated', { message });
}
