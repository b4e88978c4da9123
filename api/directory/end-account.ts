/** Ends an account at its owner's request. */

import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import { type Transaction, transact } from '../../runtime/database/database.ts';
import type { Membership } from '../access/principal.ts';
import { isInhabited, refuseLinkedUser } from './dependents.ts';
import type { DirectoryDeps } from './directory-deps.ts';
import { directoryStore, type UserRow } from './store.ts';

/**
 * Ends the account's memberships, and with them its keys and the rights of its connections. An organization that is
 * left empty is removed with it; one in use keeps an admin.
 * @throws Refusal `conflict` for the last admin of one in use, `still-needed` for the patient of a device
 */
export function endAccount(deps: DirectoryDeps, accountId: string): Promise<void> {
  return transact(deps.db, async (trx) => {
    const store = directoryStore(trx);
    const memberships = await store.membershipsOf(accountId);
    // The order is fixed, so that two who leave the same organizations wait for each other and not in a circle.
    for (const { organizationId } of memberships.toSorted(byOrganization)) await store.lockOrganization(organizationId);
    for (const membership of memberships) await leave(trx, membership);
    // The account of somebody who was invited, and never logged in otherwise, ended with its last user.
    if ((await store.account(accountId)) === undefined) return;
    await store.lockAccount(accountId);
    if ((await store.membershipsOf(accountId)).length > 0) throw refuse('unavailable');
    await store.removeAccount(accountId);
  });
}

const byOrganization = (one: Membership, other: Membership): number =>
  one.organizationId < other.organizationId ? -1 : 1;

async function leave(trx: Transaction, { userId, organizationId }: Membership): Promise<void> {
  const store = directoryStore(trx);
  const user = await store.user(userId);
  // Somebody moved or removed the user before the organization was locked.
  if (user?.organization_id !== organizationId) throw refuse('unavailable');
  const isAlone = !(await isInhabited(trx, organizationId, userId));
  const others = trx<UserRow>('users')
    .where({ organization_id: organizationId, role: 'admin' })
    .whereNot({ id: userId });
  if (!isAlone && user.role === 'admin' && (await others.first('id')) === undefined) {
    throw refuse('conflict', {
      message: reasonOf('no-other-admin'),
      hint: 'make somebody else its admin, or remove it first',
    });
  }
  await refuseLinkedUser(trx, userId);
  await store.removeUser(user);
  if (isAlone) await store.removeOrganization(organizationId);
}
