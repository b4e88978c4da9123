/** Invitations: whoever redeems the `inviteCode` of a user becomes that user. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { isUniqueViolation, transact } from '../../gateway/runtime/database.ts';
import { refuse } from '../../gateway/runtime/refusals.ts';
import { createAccount } from './create-organization.ts';
import { refuseKnownAddress } from './dependents.ts';
import type { DirectoryEdges } from './directory-edges.ts';
import { type Principal, type Role, requireMembership } from './principal.ts';
import { directoryStore, invitedSubject, passKeysOn, type UserRow } from './store.ts';

/** How long a code works. */
const invitationLifeMs = 7 * 24 * 3600 * 1000;

/** A code as people pass it on. */
export const inviteCode = z
  .string()
  .min(8)
  .max(200)
  .describe('Makes whoever redeems it this user, once, within seven days; null withdraws it');

/** The columns of an invitation. A code is a credential: only its hash is kept (T-13). */
export function storedInvitation(code: string | null, now: number): Pick<UserRow, 'invite_code' | 'invite_until'> {
  if (code === null) return { invite_code: null, invite_until: null };
  return { invite_code: hashOf(code), invite_until: now + invitationLifeMs };
}

function hashOf(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}

/** Whom to invite. */
export interface Invitation {
  readonly organization: string;
  readonly email: string;
  readonly name?: string | undefined;
  readonly role: Role;
  readonly category?: string | undefined;
}

/**
 * Makes a user who has not come yet, and the code that lets them, which is told here alone.
 * @throws Refusal `not-found`, `access-denied`, or `conflict` for an address that the organization has already
 */
export function invite(
  edges: DirectoryEdges,
  principal: Principal,
  wanted: Invitation,
): Promise<{ user: UserRow; code: string }> {
  requireMembership(principal, wanted.organization, 'manage');
  const { clock, random } = edges;
  const code = random.secret(16);
  return transact(edges.database, async (trx) => {
    const store = directoryStore(trx);
    const now = clock.now();
    const id = random.id();
    await refuseKnownAddress(trx, { id, organization_id: wanted.organization, email: wanted.email });
    const name = wanted.name ?? wanted.email;
    const accountId = await createAccount(trx, edges, { email: wanted.email, name, subject: invitedSubject(id) });
    const user: Omit<UserRow, 'invite_until'> = {
      ...{ id, account_id: accountId, organization_id: wanted.organization, name, email: wanted.email },
      ...{ category: wanted.category ?? null, role: wanted.role, timezone: null, avatar: null, meta: '{}' },
      ...{ invite_code: null, created_at: now, updated_at: now },
    };
    await store.insertUser(user);
    const invitation = storedInvitation(code, now);
    await store.changeUser(id, invitation);
    return { user: { ...user, ...invitation }, code };
  });
}

/**
 * Makes the caller's account the user that the code was made for. Keys that hung on it stay with the account that had it, for
 * its other memberships.
 * @throws Refusal `not-found` for a code that is wrong, spent, withdrawn or too old, `conflict` for members
 */
export async function join(edges: DirectoryEdges, principal: Principal, code: string): Promise<UserRow> {
  try {
    return await transact(edges.database, async (trx) => {
      const now = edges.clock.now();
      const open = () =>
        trx<UserRow>('users')
          .where({ invite_code: hashOf(code) })
          .where('invite_until', '>', now);
      const user = await open().orderBy('id').first();
      const joined = { account_id: principal.accountId, invite_code: null, invite_until: null, updated_at: now };
      const taken = user === undefined ? 0 : await open().where({ id: user.id }).update(joined);
      if (user === undefined || taken !== 1) throw refuse('not-found', { message: 'No such invitation' });
      await passKeysOn(trx, user);
      await trx('accounts')
        .where({ id: user.account_id, subject: invitedSubject(user.id) })
        .delete();
      return { ...user, ...joined };
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw refuse('conflict', { message: 'You are in that organization already' });
    throw error;
  }
}
