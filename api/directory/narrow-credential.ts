/**
 * Credentials that open one organization alone: what comes of a link that somebody else could have made, an administrator
 * or anyone who reads the mail of an address that an administrator wrote, reaches no other organization of the account
 * (T-104, docs/decisions/0048).
 */
import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import type { Membership, Principal } from '../access/principal.ts';

/** Returns what a credential opens of all the memberships of its account. */
export function openedBy(
  all: readonly Membership[],
  onlyIn: string | null,
): Pick<Principal, 'memberships' | 'onlyIn' | 'isPart'> {
  if (onlyIn === null) return { memberships: all };
  const memberships = all.filter(({ organizationId }) => organizationId === onlyIn);
  return { memberships, onlyIn, ...(memberships.length < all.length && { isPart: true }) };
}

/**
 * Returns the condition on rows that a caller may see of their account: all of them, or those of the one organization
 * that their credential opens.
 */
export function visiblePart({ isPart, onlyIn }: Principal, table: string): Readonly<Record<string, string>> {
  return isPart === true && onlyIn !== undefined ? { [`${table}.organization_id`]: onlyIn } : {};
}

/**
 * Refuses what would give the account a membership that the caller's credential does not open.
 * @throws Refusal `access-denied`
 */
export function requireNotNarrow({ onlyIn }: Principal): void {
  if (onlyIn !== undefined) throw refuse('access-denied', { message: reasonOf('opens-one-organization') });
}

/**
 * Refuses what concerns all of an account to a credential that opens a part of it.
 * @throws Refusal `access-denied`
 */
export function requireWholeAccount({ isPart }: Principal): void {
  if (isPart === true) throw refuse('access-denied', { message: reasonOf('opens-one-organization') });
}
