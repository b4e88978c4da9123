/** The caller, and the caller's permissions, decided in one place. */
import type { IncomingHttpHeaders } from 'node:http';
import { refuse } from '../../reasons/refusals.ts';
import type { Sharer } from '../../runtime/fair-shares.ts';

export const roles = ['admin', 'user', 'patient', 'onlyself'] as const;
export type Role = (typeof roles)[number];

/** One account's place in one organization. */
export interface Membership {
  readonly userId: string;
  readonly organizationId: string;
  readonly role: Role;
  readonly name: string;
  /** The organization that this one was made from, where it was: both share one allowance (T-77). */
  readonly vouchedBy?: string;
}

/** A person who has proved who they are, with their memberships as of now (C-40). */
export interface Principal {
  readonly accountId: string;
  readonly memberships: readonly Membership[];
  /** The organization in which the account was made, for one without memberships. */
  readonly vouchedBy?: string;
  /** Whether the token asserts several factors; a key carries no such claim. */
  readonly isMfaEnabled?: boolean;
  /** The session of a browser, where that proved it. */
  readonly sessionId?: string;
  /** The API key, where one proved it. */
  readonly keyId?: string;
  /** The one organization that the credential opens, where it comes of a link that somebody else could have made (T-104). */
  readonly onlyIn?: string;
  /** The account has memberships that the credential does not open. */
  readonly isPart?: true;
  /** The name of a system that the operator let in by the settings, in place of a person; it has no account. */
  readonly system?: string;
}

/**
 * Finds out who the caller is.
 * @param ownHosts finds the hosts whose pages are the service's own, as the caller reaches it
 * @throws Refusal `not-authenticated`
 */
export type Authenticate = (headers: IncomingHttpHeaders, ownHosts: () => readonly string[]) => Promise<Principal>;

/**
 * Returns the organization whose limits a person's calls count against, besides the person's own: the one they have
 * been in for longest.
 */
export function homeOf({ memberships: [first] }: Principal): string | undefined {
  return first?.organizationId;
}

/**
 * Returns the organization whose allowance a person uses: their home, or the one that their home was made from.
 * Inviting oneself and creating organizations at will gains nothing (T-77).
 */
export function allowanceOf({ memberships: [first], vouchedBy }: Principal): string | undefined {
  return first === undefined ? vouchedBy : (first.vouchedBy ?? first.organizationId);
}

/**
 * Returns the sharer of work that a person asks for: their organization with those made from it, whose members share
 * one place in the queue (T-60).
 */
export function sharerOf(principal: Principal): Sharer {
  return [allowanceOf(principal) ?? principal.accountId, principal.accountId];
}

/** The permission that an act within an organization needs. */
export type Act = 'read' | 'write' | 'manage';

const allowed: Readonly<Record<Role, readonly Act[]>> = {
  admin: ['read', 'write', 'manage'],
  user: ['read', 'write'],
  patient: ['read'],
  onlyself: [],
};

/**
 * The reach of a role: the whole organization; the devices linked to a member as patient, with their papers; or only
 * those devices. Everybody sees their own user.
 */
export type Reach = 'organization' | 'linked' | 'self';

const reaches: Readonly<Record<Role, Reach>> = {
  admin: 'organization',
  user: 'organization',
  patient: 'linked',
  onlyself: 'self',
};

export function reachOf(membership: Membership): Reach {
  return reaches[membership.role];
}

/** Returns whether a member may know of this user of the organization. Everybody may see their own user. */
export function isVisibleTo(membership: Membership | undefined, userId: string): membership is Membership {
  return membership !== undefined && (membership.userId === userId || reachOf(membership) === 'organization');
}

/** Returns the caller's membership in an organization, if there is one. */
export function membershipIn(principal: Principal, organizationId: string): Membership | undefined {
  return principal.memberships.find((membership) => membership.organizationId === organizationId);
}

/** Returns the name of the caller as an organization knows it; empty where it has none. */
export const nameIn = (principal: Principal, organizationId: string): string =>
  principal.system ?? membershipIn(principal, organizationId)?.name ?? '';

export function roleMay(role: Role, act: Act): boolean {
  return allowed[role].includes(act);
}

export function mayDo(membership: Membership | undefined, act: Act): membership is Membership {
  return membership !== undefined && roleMay(membership.role, act);
}

/** Returns the organizations in which the caller may do this. */
export function organizationsFor(principal: Principal, act: Act): string[] {
  return principal.memberships
    .filter((membership) => mayDo(membership, act))
    .map(({ organizationId }) => organizationId);
}

/**
 * Returns the caller's membership, if it allows this.
 * @throws Refusal `not-found` for an organization that the caller is not in, `access-denied` for the caller's
 * role
 */
export function requireMembership(principal: Principal, organizationId: string, act: Act): Membership {
  const membership = membershipIn(principal, organizationId);
  if (membership === undefined) throw refuse('not-found');
  if (!mayDo(membership, act)) throw refuse('access-denied');
  return membership;
}
