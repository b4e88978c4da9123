/**
 * Finds the records that keep a user, a paper or an organization from being removed, and a user from taking an address.
 */

import type { Knex } from 'knex';
import { reasonOf } from '../../reasons/reason.ts';
import { type Dependents, refuse } from '../../reasons/refusals.ts';
import type { Database } from '../../runtime/database/database.ts';
import { directoryStore, type UserRow } from './store.ts';

/** The number of ids of one kind that an answer names at most. */
const maxNamed = 100;

async function named(query: Knex.QueryBuilder): Promise<string[]> {
  const rows: { id: string }[] = await query.orderBy('id').limit(maxNamed).select('id');
  return rows.map(({ id }) => id);
}

/**
 * Refuses to remove a user whom devices name as patient.
 * @throws Refusal `still-needed`
 */
export async function refuseLinkedUser(db: Database, userId: string): Promise<void> {
  refuseDependents({ devices: await named(db('devices').where({ patient: userId })) });
}

/**
 * Refuses to remove a paper that devices show.
 * @throws Refusal `still-needed`
 */
export async function refuseShown(db: Database, paperId: string): Promise<void> {
  refuseDependents({ devices: await named(db('devices').where({ paper_id: paperId })) });
}

/**
 * Refuses to remove an organization that has devices, papers, or others than this user.
 * @throws Refusal `still-needed`
 */
export async function refuseInhabited(db: Database, organizationId: string, lastUserId: string): Promise<void> {
  refuseDependents(await inhabitants(db, organizationId, lastUserId));
}

/** Returns whether an organization has devices, papers, or others than this user. */
export async function isInhabited(db: Database, organizationId: string, lastUserId: string): Promise<boolean> {
  return Object.values(await inhabitants(db, organizationId, lastUserId)).some((ids) => ids.length > 0);
}

async function inhabitants(db: Database, organizationId: string, lastUserId: string): Promise<Dependents> {
  const inside = { organization_id: organizationId };
  return {
    devices: await named(db('devices').where(inside)),
    papers: await named(db('papers').where(inside)),
    users: await named(db('users').where(inside).whereNot({ id: lastUserId })),
  };
}

/**
 * Refuses an address that another user of the organization has; several may have none (C-35). The organization is
 * locked until the transaction ends, so that of two who take the same address one succeeds.
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
    throw refuse('conflict', { message: reasonOf('address-in-organization') });
  }
}

function refuseDependents(found: Dependents): void {
  const dependents = Object.fromEntries(Object.entries(found).filter(([, ids]) => ids.length > 0));
  if (Object.keys(dependents).length > 0) throw refuse('still-needed', { dependents });
}
