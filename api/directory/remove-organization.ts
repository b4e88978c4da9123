/** Removes an organization that no other record depends on. */

import { refuse } from '../../reasons/refusals.ts';
import { transact } from '../../runtime/database/database.ts';
import { type Principal, requireMembership } from '../access/principal.ts';
import { requireAdminNow } from './change-user.ts';
import { refuseInhabited } from './dependents.ts';
import type { DirectoryDeps } from './directory-deps.ts';
import { directoryStore, type OrganizationRow } from './store.ts';

/**
 * Removes an organization with the caller's membership, its last one, and returns it as it was.
 * @throws Refusal `not-found`, `access-denied`, or `still-needed` with its contents
 */
export function removeOrganization(
  deps: DirectoryDeps,
  principal: Principal,
  organizationId: string,
): Promise<OrganizationRow> {
  const { userId } = requireMembership(principal, organizationId, 'manage');
  return transact(deps.db, async (trx) => {
    await requireAdminNow(trx, principal, organizationId);
    await refuseInhabited(trx, organizationId, userId);
    const store = directoryStore(trx);
    const organization = await store.organization(organizationId);
    const last = await store.user(userId);
    if (organization === undefined || last === undefined) throw refuse('not-found');
    await store.removeUser(last);
    await store.removeOrganization(organizationId);
    return organization;
  });
}
