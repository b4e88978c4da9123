/** Changes and removes users: who may touch which field stands here, and nowhere else (A-6, T-17). */
import { z } from 'zod';
import { isUniqueViolation, type Transaction, transact } from '../../gateway/runtime/database.ts';
import { refuse } from '../../gateway/runtime/refusals.ts';
import { isTimezone, metaText, objectId, openObject, replacesMeta } from '../http/field-shapes.ts';
import { refuseKnownAddress, refuseLinkedUser } from './dependents.ts';
import type { DirectoryEdges } from './directory-edges.ts';
import { inviteCode, storedInvitation } from './invitation.ts';
import {
  isVisibleTo,
  type Membership,
  mayDo,
  membershipIn,
  type Principal,
  requireMembership,
  roles,
} from './principal.ts';
import { directoryStore, type UserRow } from './store.ts';

/** What an update of a user may carry. */
export const userChange = z.object({
  name: z.string().min(1).max(200).describe('Full name').optional(),
  timezone: z.string().max(100).refine(isTimezone, 'expected an IANA time zone').describe('IANA time zone').optional(),
  avatar: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .optional(),
  meta: openObject.describe(replacesMeta).optional(),
  category: z.enum(['doctor', 'nurse', 'patient', 'pharmacist', 'relative']).optional(),
  email: z.email().max(320).nullable().optional(),
  role: z.enum(roles).optional(),
  inviteCode: inviteCode.nullable().optional(),
  organization: objectId.optional(),
});

export type UserChange = z.output<typeof userChange>;

/** What a member may say of themselves; the rest is for admins. */
const ownFields = ['name', 'timezone', 'avatar'] as const;
const adminFields = ['meta', 'category', 'email', 'inviteCode'] as const;

/** What a replaced record holds where nothing was given. Role and organization are the membership itself and stay. */
const cleared = {
  name: { name: '' },
  timezone: { timezone: null },
  avatar: { avatar: null },
  meta: { meta: '{}' },
  category: { category: null },
  email: { email: '' },
  inviteCode: { invite_code: null, invite_until: null },
} satisfies Record<(typeof ownFields | typeof adminFields)[number], Partial<UserRow>>;

/**
 * Applies a change and returns the user as stored. `replace` clears what the caller may write and did not give, `merge`
 * leaves it.
 * @throws Refusal `not-found` for users the caller cannot see, `access-denied` for fields they may not write,
 *   `still-needed` for a move of somebody whom devices are linked to, `conflict` for an address that another has
 */
export async function changeUser(
  edges: DirectoryEdges,
  principal: Principal,
  userId: string,
  change: UserChange,
  how: 'merge' | 'replace',
): Promise<UserRow> {
  try {
    return await transact(edges.database, async (trx) => {
      const store = directoryStore(trx);
      const user = await store.user(userId);
      if (user === undefined) throw refuse('not-found');
      const membership = requireAllowed(principal, user, change);
      const moves = change.organization !== undefined && change.organization !== user.organization_id;
      if (moves || change.role !== undefined) await requireStillManaged(trx, principal, user);
      if (moves) await refuseLinkedUser(trx, userId);
      const now = edges.clock.now();
      const columns = columnsOf(change, now);
      const { organization_id, email } = { ...user, ...columns };
      if (moves || email !== user.email) await refuseKnownAddress(trx, { id: userId, organization_id, email });
      await store.changeUser(userId, {
        ...(how === 'replace' ? clearedFor(membership) : {}),
        ...columns,
        updated_at: now,
      });
      return { ...user, ...(await store.user(userId)) };
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw refuse('conflict', { message: 'They are in that organization already' });
    throw error;
  }
}

function clearedFor(membership: Membership): Partial<UserRow> {
  const fields = mayDo(membership, 'manage') ? [...ownFields, ...adminFields] : ownFields;
  return Object.assign({}, ...fields.map((field) => cleared[field]));
}

function columnsOf(change: UserChange, now: number): Partial<UserRow> {
  return {
    ...(change.name === undefined ? {} : { name: change.name }),
    ...(change.timezone === undefined ? {} : { timezone: change.timezone }),
    ...(change.avatar === undefined ? {} : { avatar: change.avatar }),
    ...(change.meta === undefined ? {} : { meta: metaText(change.meta) }),
    ...(change.category === undefined ? {} : { category: change.category }),
    ...(change.email === undefined ? {} : { email: change.email ?? '' }),
    ...(change.role === undefined ? {} : { role: change.role }),
    ...(change.inviteCode === undefined ? {} : storedInvitation(change.inviteCode, now)),
    ...(change.organization === undefined ? {} : { organization_id: change.organization }),
  };
}

/** The caller's membership beside the user. */
function requireAllowed(principal: Principal, user: UserRow, change: UserChange): Membership {
  const membership = membershipIn(principal, user.organization_id);
  if (membership === undefined || !isVisibleTo(membership, user.id)) throw refuse('not-found');
  const isSelf = membership.userId === user.id;
  if (membership.role === 'onlyself') throw refuse('access-denied');
  // An address that stays is no change: whoever sends back what they read of themselves has it in there.
  const isChange = (field: string, value: unknown) =>
    value !== undefined && !(field === 'email' && value === user.email);
  const fields = Object.entries(change).filter(([field, value]) => isChange(field, value));
  const onlyOwnFields = fields.every(([field]) => ownFields.some((own) => own === field));
  if (!mayDo(membership, 'manage') && !(isSelf && onlyOwnFields)) throw refuse('access-denied');
  const changesRole = change.role !== undefined && change.role !== user.role;
  const moves = change.organization !== undefined && change.organization !== user.organization_id;
  if (isSelf && (changesRole || moves)) {
    throw refuse('access-denied', { message: 'Nobody changes their own role or organization' });
  }
  // T-17: moving somebody needs an admin of both organizations.
  if (moves && change.organization !== undefined) requireMembership(principal, change.organization, 'manage');
  return membership;
}

/**
 * Ends a membership; keys go on for the account's other ones alone, push connections lose their right.
 * @throws Refusal `not-found`, `access-denied`, or `still-needed` while devices name them as patient
 */
export function removeUser(edges: DirectoryEdges, principal: Principal, userId: string): Promise<void> {
  return transact(edges.database, async (trx) => {
    const store = directoryStore(trx);
    const user = await store.user(userId);
    const membership = user && membershipIn(principal, user.organization_id);
    if (user === undefined || !isVisibleTo(membership, userId)) throw refuse('not-found');
    requireMembership(principal, membership.organizationId, 'manage');
    // So an organization always has an admin: the one who removed the others.
    if (membership.userId === userId) throw refuse('access-denied', { message: 'Nobody removes themselves' });
    await requireStillManaged(trx, principal, user);
    await refuseLinkedUser(trx, userId);
    await store.removeUser(user);
  });
}

/** The right to manage as it is now, held until the transaction ends: of two admins who remove each other, one does. */
export async function requireAdminNow(trx: Transaction, principal: Principal, organizationId: string): Promise<void> {
  const store = directoryStore(trx);
  await store.lockOrganization(organizationId);
  const { accountId } = principal;
  requireMembership({ accountId, memberships: await store.membershipsOf(accountId) }, organizationId, 'manage');
}

/** The same, of a user who has not been moved elsewhere meanwhile. */
async function requireStillManaged(trx: Transaction, principal: Principal, user: UserRow): Promise<void> {
  await requireAdminNow(trx, principal, user.organization_id);
  const now = await directoryStore(trx).user(user.id);
  if (now?.organization_id !== user.organization_id) throw refuse('not-found');
}
