/** Who calls, and what they may do: one place that decides. */
import { refuse } from '../../gateway/runtime/refusals.ts';

/** Roles of a membership. */
export const roles = ['admin', 'user', 'patient', 'onlyself'] as const;
export type Role = (typeof roles)[number];

/** One account's place in one organization. */
export interface Membership {
  readonly userId: string;
  readonly organizationId: string;
  readonly role: Role;
  readonly name: string;
}

/** A person who has proved who they are, with their memberships as of now (C-40). */
export interface Principal {
  readonly accountId: string;
  readonly memberships: readonly Membership[];
}

/** What somebody wants to do within an organization. */
export type Act = 'read' | 'write' | 'manage';

const allowed: Readonly<Record<Role, readonly Act[]>> = {
  admin: ['read', 'write', 'manage'],
  user: ['read', 'write'],
  patient: ['read'],
  onlyself: [],
};

/**
 * How far a role sees: the whole organization; devices linked to them as patient, with their papers; or no more than
 * those devices. Everybody sees their own user.
 */
export type Reach = 'organization' | 'linked' | 'self';

const reaches: Readonly<Record<Role, Reach>> = {
  admin: 'organization',
  user: 'organization',
  patient: 'linked',
  onlyself: 'self',
};

/** How far a member sees. */
export function reachOf(membership: Membership): Reach {
  return reaches[membership.role];
}

/** Whether a member may know of this user of the organization: their own user is everybody's to see. */
export function isVisibleTo(membership: Membership | undefined, userId: string): membership is Membership {
  return membership !== undefined && (membership.userId === userId || reachOf(membership) === 'organization');
}

/** The caller's membership in an organization, if any. */
export function membershipIn(principal: Principal, organizationId: string): Membership | undefined {
  return principal.memberships.find((membership) => membership.organizationId === organizationId);
}

/** Whether a role may do this in its organization. */
export function roleMay(role: Role, act: Act): boolean {
  return allowed[role].includes(act);
}

/** Whether a member may do this in their organization. */
export function mayDo(membership: Membership | undefined, act: Act): membership is Membership {
  return membership !== undefined && roleMay(membership.role, act);
}

/** Organizations in which the caller may do this. */
export function organizationsFor(principal: Principal, act: Act): string[] {
  return principal.memberships
    .filter((membership) => mayDo(membership, act))
    .map(({ organizationId }) => organizationId);
}

/**
 * The caller's membership, allowed to do this.
 * @throws Refusal `not-found` for organizations the caller is not in, `access-denied` for roles that may not
 */
export function requireMembership(principal: Principal, organizationId: string, act: Act): Membership {
  const membership = membershipIn(principal, organizationId);
  if (membership === undefined) throw refuse('not-found');
  if (!mayDo(membership, act)) throw refuse('access-denied');
  return membership;
}
