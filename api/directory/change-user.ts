/** Changes and removes users. The rules for who may change which field stand here alone. */

import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import { isUniqueViolation, type Transaction, transact } from '../../runtime/database/database.ts';
import {
  isVisibleTo,
  type Membership,
  mayDo,
  membershipIn,
  type Principal,
  requireMembership,
  roles,
} from '../access/principal.ts';
import { isTimezone, metaText, objectId, openObject, replacesMeta, storedObject } from '../http/field-shapes.ts';
import { wrongField } from '../http/fit-schema.ts';
import { maxNameCharacters, requireShortNames } from '../http/short-names.ts';
import { emailAddress } from './address.ts';
import { refuseKnownAddress, refuseLinkedUser } from './dependents.ts';
import type { DirectoryDeps } from './directory-deps.ts';
import { inviteCode, noInvitation, type StoredInvitation, storedInvitation } from './invitation.ts';
import { endLinksOf } from './link-rows.ts';
import { openedBy } from './narrow-credential.ts';
import { directoryStore, type ShownUserRow, type UserRow, userCategories } from './store.ts';

/** The fields of an update of a user. */
export const userChange = z.object({
  name: z.string().min(1).describe(`Full name, of at most ${maxNameCharacters} characters`).optional(),
  timezone: z.string().max(100).refine(isTimezone, wrongField('field-time-zone')).describe('IANA time zone').optional(),
  avatar: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .optional(),
  meta: openObject.describe(replacesMeta).optional(),
  category: z.enum(userCategories).optional(),
  email: emailAddress.nullable().optional(),
  role: z.enum(roles).optional(),
  inviteCode: inviteCode.nullable().optional(),
  organization: objectId.optional(),
});

export type UserChange = z.output<typeof userChange>;

/** The fields that a member may change of themselves; the rest is for admins. */
const ownFields = ['name', 'timezone', 'avatar'] as const;
const adminFields = ['meta', 'category', 'email', 'inviteCode'] as const;

/**
 * The values of a replaced record where the update gave none. Role and organization are the membership itself
 * and stay.
 */
const cleared = {
  name: { name: '' },
  timezone: { timezone: null },
  avatar: { avatar: null },
  meta: { meta: '{}' },
  category: { category: null },
  email: { email: '' },
  inviteCode: noInvitation,
} satisfies Record<(typeof ownFields | typeof adminFields)[number], Partial<UserRow>>;

/** A change; `replace` clears the fields that the caller may write and did not give, `merge` leaves them. */
interface AskedChange {
  readonly requested: UserChange;
  readonly how: 'merge' | 'replace';
}

/**
 * Applies a change and returns the user as stored.
 * @throws Refusal `not-found` for users the caller cannot see, `access-denied` for fields they may not write,
 * `still-needed` for a move of somebody whom devices are linked to, `conflict` for an address that another has
 */
export async function changeUser(
  deps: DirectoryDeps,
  principal: Principal,
  userId: string,
  { requested, how }: AskedChange,
): Promise<ShownUserRow> {
  const invitation = await invitationOf(deps, principal, userId, requested);
  try {
    return await transact(deps.db, async (trx) => {
      const store = directoryStore(trx);
      const user = await store.user(userId);
      if (user === undefined) throw refuse('not-found');
      const change = changeOf(user, requested);
      const membership = requireAllowed(principal, user, change);
      requireShortNames({ name: change.name });
      const moves = change.organization !== undefined;
      if (moves || change.role !== undefined) await requireStillManaged(trx, principal, user);
      if (moves) {
        await refuseLinkedUser(trx, userId);
        await endLinksOf(trx, { user: userId });
        await store.lockOrganization(change.organization ?? '');
      }
      const now = deps.clock.now();
      const columns = { ...columnsOf(change), ...invitation };
      const { organization_id, email } = { ...user, ...columns };
      if (moves || email !== user.email) await refuseKnownAddress(trx, { id: userId, organization_id, email });
      await store.changeUser(userId, {
        ...(how === 'replace' ? clearedFor(membership, requested) : {}),
        ...columns,
        updated_at: now,
      });
      return store.shownUser(userId);
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw refuse('conflict', { message: reasonOf('they-are-members') });
    throw error;
  }
}

function clearedFor(membership: Membership, requested: UserChange): Partial<UserRow> {
  const fields = mayDo(membership, 'manage') ? [...ownFields, ...adminFields] : ownFields;
  return Object.assign({}, ...fields.filter((field) => requested[field] === undefined).map((field) => cleared[field]));
}

function columnsOf(change: UserChange): Partial<UserRow> {
  return {
    ...(change.name === undefined ? {} : { name: change.name }),
    ...(change.timezone === undefined ? {} : { timezone: change.timezone }),
    ...(change.avatar === undefined ? {} : { avatar: change.avatar }),
    ...(change.meta === undefined ? {} : { meta: metaText(change.meta) }),
    ...(change.category === undefined ? {} : { category: change.category }),
    ...(change.email === undefined ? {} : { email: change.email ?? '' }),
    ...(change.role === undefined ? {} : { role: change.role }),
    ...(change.organization === undefined ? {} : { organization_id: change.organization }),
  };
}

/** Returns the columns of a code that is set or withdrawn. Nothing is computed for a caller who may not set one. */
async function invitationOf(
  deps: DirectoryDeps,
  principal: Principal,
  userId: string,
  change: UserChange,
): Promise<StoredInvitation | undefined> {
  const { inviteCode: code } = change;
  if (typeof code !== 'string') return code === null ? noInvitation : undefined;
  const user = await directoryStore(deps.db).user(userId);
  if (user === undefined) throw refuse('not-found');
  requireAllowed(principal, user, changeOf(user, change));
  return storedInvitation(deps, { userId, code, hash: await deps.hashInvite(principal.accountId, code) });
}

/**
 * Returns the part of an update that differs from the user. A client that sends back what it read of itself changes
 * nothing, and writes nothing that somebody else may be changing.
 */
function changeOf(user: UserRow, requested: UserChange): UserChange {
  const stored: Readonly<Record<string, unknown>> = {
    ...user,
    email: user.email === '' ? null : user.email,
    meta: storedObject(user.meta),
    organization: user.organization_id,
  };
  const isChange = ([field, value]: [string, unknown]) =>
    value !== undefined && !isDeepStrictEqual(value, stored[field]);
  return Object.fromEntries(Object.entries(requested).filter(isChange));
}

/** Returns the caller's membership in the user's organization, if it allows the change. */
function requireAllowed(principal: Principal, user: UserRow, change: UserChange): Membership {
  const membership = membershipIn(principal, user.organization_id);
  if (membership === undefined || !isVisibleTo(membership, user.id)) throw refuse('not-found');
  const isSelf = membership.userId === user.id;
  if (membership.role === 'onlyself') throw refuse('access-denied');
  const onlyOwnFields = Object.keys(change).every((field) => ownFields.some((own) => own === field));
  if (!mayDo(membership, 'manage') && !(isSelf && onlyOwnFields)) throw refuse('access-denied');
  if (isSelf && (change.role !== undefined || change.organization !== undefined)) {
    throw refuse('access-denied', { message: reasonOf('own-role') });
  }
  // Moving somebody needs an admin of both organizations (T-17).
  if (change.organization !== undefined) requireMembership(principal, change.organization, 'manage');
  return membership;
}

/**
 * Ends a membership. Keys go on for the account's other memberships alone, and push connections lose their right.
 * @throws Refusal `not-found`, `access-denied`, or `still-needed` while devices name them as patient
 */
export function removeUser(deps: DirectoryDeps, principal: Principal, userId: string): Promise<void> {
  return transact(deps.db, async (trx) => {
    const store = directoryStore(trx);
    const user = await store.user(userId);
    const membership = user && membershipIn(principal, user.organization_id);
    if (user === undefined || !isVisibleTo(membership, userId)) throw refuse('not-found');
    requireMembership(principal, membership.organizationId, 'manage');
    // An organization thus always has an admin: the one who removed the others.
    if (membership.userId === userId) throw refuse('access-denied', { message: reasonOf('removes-self') });
    await requireStillManaged(trx, principal, user);
    await refuseLinkedUser(trx, userId);
    await store.removeUser(user);
  });
}

/**
 * Checks the right to manage as it is now, and holds it until the transaction ends: of two admins who remove each
 * other, one succeeds.
 */
export async function requireAdminNow(trx: Transaction, principal: Principal, organizationId: string): Promise<void> {
  const store = directoryStore(trx);
  await store.lockOrganization(organizationId);
  const { accountId, onlyIn = null } = principal;
  const opened = openedBy(await store.membershipsOf(accountId), onlyIn);
  requireMembership({ accountId, ...opened }, organizationId, 'manage');
}

/**
 * Checks the right to manage a user who was not moved elsewhere meanwhile, and whom no device names until the
 * transaction ends.
 */
async function requireStillManaged(trx: Transaction, principal: Principal, user: UserRow): Promise<void> {
  await requireAdminNow(trx, principal, user.organization_id);
  const now = await trx<UserRow>('users').where({ id: user.id }).forUpdate().first();
  if (now?.organization_id !== user.organization_id) throw refuse('not-found');
}
