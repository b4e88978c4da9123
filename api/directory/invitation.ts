/** Invitations: a person who redeems the `inviteCode` of a user becomes that user. */

import { z } from 'zod';
import { reasonOf } from '../../reasons/reason.ts';
import { type Refusal, refuse } from '../../reasons/refusals.ts';
import { type Database, isUniqueViolation, transact } from '../../runtime/database/database.ts';
import { seal } from '../../runtime/sealed.ts';
import { membershipIn, type Principal, type Role, requireMembership } from '../access/principal.ts';
import { metaText } from '../http/field-shapes.ts';
import { requireShortNames } from '../http/short-names.ts';
import { createAccount } from './create-organization.ts';
import { refuseKnownAddress } from './dependents.ts';
import type { DirectoryDeps } from './directory-deps.ts';
import { madeInviteHash } from './invite-hash.ts';
import { addLinks } from './link-rows.ts';
import { placeOfCode } from './show-user.ts';
import {
  directoryStore,
  endInvitedAccount,
  invitedSubject,
  type OrganizationRow,
  passKeysOn,
  type ShownUserRow,
  type UserCategory,
  type UserRow,
} from './store.ts';

/** The time for which a code works. */
const invitationLifeMs = 7 * 24 * 3600 * 1000;

/** A code as people pass it on. */
export const inviteCode = z
  .string()
  .min(8)
  .max(200)
  .describe('Makes the person who redeems it this user, once, within seven days; null withdraws it');

/** The columns of an invitation. */
export type StoredInvitation = Pick<UserRow, 'invite_code' | 'invite_until' | 'invite_sealed'>;

/** The columns of a user without an invitation. */
export const noInvitation: StoredInvitation = { invite_code: null, invite_until: null, invite_sealed: null };

/**
 * Returns the columns of an invitation: the hash of its code to find it by, and the code sealed to show it again (FACT-15).
 */
export function storedInvitation(
  deps: Pick<DirectoryDeps, 'clock' | 'random' | 'sealKey'>,
  invitation: { readonly userId: string; readonly code: string; readonly hash: string },
): StoredInvitation {
  const { userId, code, hash } = invitation;
  return {
    invite_code: hash,
    invite_until: deps.clock.now() + invitationLifeMs,
    invite_sealed: seal(code, placeOfCode(userId), deps.sealKey, deps.random),
  };
}

/** The user to make. */
export interface NewUser {
  readonly organization: string;
  readonly email?: string | null | undefined;
  readonly name?: string | undefined;
  readonly role: Role;
  readonly category?: UserCategory | undefined;
  readonly timezone?: string | undefined;
  readonly avatar?: string | undefined;
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** The ids that they see from the beginning, where their role does not show everything. */
  readonly devices?: readonly string[] | undefined;
  readonly papers?: readonly string[] | undefined;
}

/**
 * Makes a user that belongs to no person yet. A user with an address is an invitation, and has the code that lets the
 * person come; a user without one needs no login, like a patient.
 * @throws Refusal `not-found` for an organization, device or paper elsewhere, `access-denied`, or `conflict` for an
 * address that the organization has already and for a device or paper that as many see as may
 */
export function createUser(deps: DirectoryDeps, principal: Principal, wanted: NewUser): Promise<ShownUserRow> {
  const { organizationId, vouchedBy = organizationId } = requireMembership(principal, wanted.organization, 'manage');
  if (!wanted.email && wanted.name === undefined && wanted.meta === undefined) {
    throw refuse('invalid-request', {
      hint: 'email: whom to invite; or a name or meta of somebody who needs no login',
    });
  }
  requireShortNames({ name: wanted.name });
  const { clock, random } = deps;
  return transact(deps.db, async (trx) => {
    const store = directoryStore(trx);
    const now = clock.now();
    const id = random.id();
    const email = wanted.email ?? '';
    await refuseKnownAddress(trx, { id, organization_id: wanted.organization, email });
    const name = wanted.name ?? email;
    const accountId = await createAccount(trx, deps, { email, name, subject: invitedSubject(id), vouchedBy });
    await store.insertUser({
      id,
      account_id: accountId,
      organization_id: wanted.organization,
      name,
      email,
      category: wanted.category ?? null,
      role: wanted.role,
      timezone: wanted.timezone ?? null,
      avatar: wanted.avatar ?? null,
      meta: metaText(wanted.meta ?? {}),
      created_at: now,
      updated_at: now,
    });
    const { devices = [], papers = [] } = wanted;
    if (devices.length + papers.length > 0) {
      await store.lockOrganization(wanted.organization);
      await addLinks(trx, { userId: id, organizationId: wanted.organization }, { devices, papers }, now);
    }
    if (email !== '') {
      const code = random.secret(16);
      await store.changeUser(id, storedInvitation(deps, { userId: id, code, hash: madeInviteHash(code) }));
    }
    return store.shownUser(id);
  });
}

/**
 * Describes the invitation of a code to anybody who has it.
 * @throws Refusal as `join` does
 */
export async function readInvitation(
  deps: DirectoryDeps,
  principal: Principal,
  code: string,
): Promise<{ user: UserRow; organization: OrganizationRow }> {
  const user = await openInvitation(deps.db, await keptHash(deps, principal, code), deps.clock.now()).first();
  if (user === undefined) throw unknownCode();
  if (membershipIn(principal, user.organization_id) !== undefined) throw alreadyThere();
  const organization = await directoryStore(deps.db).organization(user.organization_id);
  if (organization === undefined) throw unknownCode();
  return { user, organization };
}

/**
 * Makes the caller's account the user that the code was made for. Keys that hung on the user stay with the account that
 * had it, for its other memberships.
 * @throws Refusal `not-found` for a code that is wrong, spent, withdrawn or too old, `conflict` for members
 */
export async function join(deps: DirectoryDeps, principal: Principal, code: string): Promise<ShownUserRow> {
  const hash = await keptHash(deps, principal, code);
  try {
    return await transact(deps.db, async (trx) => {
      const now = deps.clock.now();
      await directoryStore(trx).lockAccount(principal.accountId);
      const open = () => openInvitation(trx, hash, now);
      const user = await open().orderBy('id').first();
      const joined = { account_id: principal.accountId, ...noInvitation, updated_at: now };
      const taken = user === undefined ? 0 : await open().where({ id: user.id }).update(joined);
      if (user === undefined || taken !== 1) throw unknownCode();
      if (user.account_id !== principal.accountId) {
        await passKeysOn(trx, user);
        await endInvitedAccount(trx, user.account_id);
      }
      return directoryStore(trx).shownUser(user.id);
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw alreadyThere();
    throw error;
  }
}

/** Finds the users that a code can be redeemed for: one, unless people chose alike. */
function openInvitation(db: Database, hash: string, now: number) {
  return db<UserRow>('users').where({ invite_code: hash }).where('invite_until', '>', now);
}

/**
 * The same answer for codes that are wrong, spent, withdrawn or too old: guessing reveals of none that it ever existed.
 */
function unknownCode(): Refusal {
  return refuse('not-found', { message: reasonOf('no-such-invitation'), hint: reasonOf('invitation-anew') });
}

function alreadyThere(): Refusal {
  return refuse('conflict', { message: reasonOf('member-already') });
}

/** Returns the stored hash of a code, which is either one that was made here or one that people chose. */
async function keptHash(deps: DirectoryDeps, { accountId }: Principal, code: string): Promise<string> {
  const made = madeInviteHash(code);
  const known = await deps.db('users').where({ invite_code: made }).first('id');
  return known === undefined ? deps.hashInvite(accountId, code) : made;
}
