/** What keeps a user, a paper or an organization from being removed, and a user from taking an address. */
import type { Database } from '../../gateway/runtime/database.ts';
import { type Dependents, refuse } from '../../gateway/runtime/refusals.ts';
import { directoryStore, type UserRow } from './store.ts';

/** Ids of one kind that an answer names at most. */
const mostNamed = 100;

async function named(query: ReturnType<Database>): Promise<string[]> {
  const rows: { id: string }[] = await query.orderBy('id').limit(mostNamed).select('id');
  return rows.map(({ id }) => id);
}

/** @throws Refusal `still-needed` for the patient of a device */
export async function refuseLinkedUser(db: Database, userId: string): Promise<void> {
  refuseDependents({ devices: await named(db('devices').where({ patient: userId })) });
}

/** @throws Refusal `still-needed` for a paper that devices show */
export async function refuseShown(db: Database, paperId: string): Promise<void> {
  refuseDependents({ devices: await named(db('devices').where({ paper_id: paperId })) });
}

/** @throws Refusal `still-needed` for an organization that has devices, papers, or others than this user */
export async function refuseInhabited(db: Database, organizationId: string, lastUserId: string): Promise<void> {
  const inside = { organization_id: organizationId };
  refuseDependents({
    devices: await named(db('devices').where(inside)),
    papers: await named(db('papers').where(inside)),
    users: await named(db('users').where(inside).whereNot({ id: lastUserId })),
  });
}

/**
 * C-35: one address is one user of an organization; several may have none. The organization is held until the transaction
 * ends, so that of two who take the same address one does.
 * @throws Refusal `conflict`
 */
export async function refuseKnownAddress(
  db: Database,
  { id, organization_id, email }: Pick<UserRow, 'id' | 'organization_id' | 'email'>,
): Promise<void> {
  if (email === '') return;
  await directoryStore(db).lockOrganization(organization_id);
  const same = db('users').where({ organization_id }).whereNot({ id }).whereRaw('lower(email) = lower(?)', [email]);
  if ((await same.first('id')) !== undefined) {
    throw refuse('conflict', { message: 'Somebody with this address is in the organization already' });
  }
}

function refuseDependents(found: Dependents): void {
  const dependents = Object.fromEntries(Object.entries(found).filter(([, ids]) => ids.length > 0));
  if (Object.keys(dependents).length > 0) throw refuse('still-needed', { dependents });
}
