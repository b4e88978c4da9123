/** Removes an organization that nothing depends on any more. */
import { transact } from '../../gateway/runtime/database.ts';
import { refuse } from '../../gateway/runtime/refusals.ts';
import { requireAdminNow } from './change-user.ts';
import { refuseInhabited } from './dependents.ts';
import type { DirectoryEdges } from './directory-edges.ts';
import { type Principal, requireMembership } from './principal.ts';
import { directoryStore, type OrganizationRow } from './store.ts';

/**
 * Removes it with the caller's membership, the last there is; returns it as it was.
 * @throws Refusal `not-found`, `access-denied`, or `still-needed` with what is in it
 */
export function removeOrganization(
  edges: DirectoryEdges,
  principal: Principal,
  organizationId: string,
): Promise<OrganizationRow> {
  const { userId } = requireMembership(principal, organizationId, 'manage');
  return transact(edges.database, async (trx) => {
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
