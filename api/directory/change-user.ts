/** Changes a user: who may touch which field stands here, and nowhere else (A-6, T-17). */
import { z } from 'zod';
import { isUniqueViolation } from '../../gateway/runtime/database.ts';
import { refuse } from '../../gateway/runtime/refusals.ts';
import { isTimezone, objectId, openObject } from '../http/field-shapes.ts';
import type { DirectoryEdges } from './directory-edges.ts';
import { mayDo, membershipIn, type Principal, reachOf, requireMembership, roles } from './principal.ts';
import { directoryStore, type UserRow } from './store.ts';

/** What an update of a user may carry. */
export const userChange = z.object({
  name: z.string().min(1).max(200).optional(),
  timezone: z.string().max(100).refine(isTimezone, 'expected an IANA time zone').optional(),
  avatar: z
    .url({ protocol: /^https?$/ })
    .max(2000)
    .optional(),
  meta: openObject.optional(),
  category: z.enum(['doctor', 'nurse', 'patient', 'pharmacist', 'relative']).optional(),
  email: z.email().max(320).nullable().optional(),
  role: z.enum(roles).optional(),
  inviteCode: z.string().max(200).nullable().optional(),
  organization: objectId.optional(),
});

export type UserChange = z.output<typeof userChange>;

const ownFields: readonly string[] = ['name', 'timezone', 'avatar'];

/**
 * Applies a change and returns the user as stored.
 * @throws Refusal `not-found` for users the caller cannot see, `access-denied` for fields they may not write
 */
export async function changeUser(
  edges: DirectoryEdges,
  principal: Principal,
  userId: string,
  change: UserChange,
): Promise<UserRow> {
  const store = directoryStore(edges.database);
  const user = await store.user(userId);
  if (user === undefined) throw refuse('not-found');
  requireAllowed(principal, user, change);
  const moves = change.organization !== undefined && change.organization !== user.organization_id;
  try {
    await store.changeUser(userId, {
      ...(change.name === undefined ? {} : { name: change.name }),
      ...(change.timezone === undefined ? {} : { timezone: change.timezone }),
      ...(change.avatar === undefined ? {} : { avatar: change.avatar }),
      ...(change.meta === undefined ? {} : { meta: JSON.stringify(change.meta) }),
      ...(change.category === undefined ? {} : { category: change.category }),
      ...(change.email === undefined ? {} : { email: change.email ?? '' }),
      ...(change.role === undefined ? {} : { role: change.role }),
      ...(change.inviteCode === undefined ? {} : { invite_code: change.inviteCode }),
      ...(moves && change.organization !== undefined ? { organization_id: change.organization } : {}),
      updated_at: edges.clock.now(),
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw refuse('conflict', { message: 'They are in that organization already' });
    throw error;
  }
  const changed = await store.user(userId);
  if (changed === undefined) throw refuse('not-found');
  return changed;
}

function requireAllowed(principal: Principal, user: UserRow, change: UserChange): void {
  const membership = membershipIn(principal, user.organization_id);
  const isSelf = membership?.userId === user.id;
  if (membership === undefined || !(isSelf || reachOf(membership) === 'organization')) throw refuse('not-found');
  if (membership.role === 'onlyself') throw refuse('access-denied');
  const fields = Object.entries(change).filter(([, value]) => value !== undefined);
  const onlyOwnFields = fields.every(([field]) => ownFields.includes(field));
  if (!mayDo(membership, 'manage') && !(isSelf && onlyOwnFields)) throw refuse('access-denied');
  const changesRole = change.role !== undefined && change.role !== user.role;
  const moves = change.organization !== undefined && change.organization !== user.organization_id;
  if (isSelf && (changesRole || moves)) {
    throw refuse('access-denied', { message: 'Nobody changes their own role or organization' });
  }
  // T-17: moving somebody needs an admin of both organizations.
  if (moves && change.organization !== undefined) requireMembership(principal, change.organization, 'manage');
}
