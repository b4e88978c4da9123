/** The people of a world: organizations with their admins, and members with a role. */
import type { Role } from '../../api/access/principal.ts';
import { createOrganization } from '../../api/directory/create-organization.ts';
import { createKey } from '../../api/directory/keys.ts';
import { directoryStore } from '../../api/directory/store.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';

/** Somebody with a key. */
export interface Person {
  readonly accountId: string;
  readonly userId: string;
  readonly organizationId: string;
  readonly key: string;
}

type PeopleDeps = Pick<CommonDeps, 'db' | 'clock' | 'random'>;

export async function foundOrganization(deps: PeopleDeps, name: string, adminName: string): Promise<Person> {
  const email = `${adminName.toLowerCase()}@example.org`;
  const admin = { name: adminName, email };
  const created = await createOrganization(deps.db, deps, { name, email, kind: 'clinic', admin });
  const { raw } = await createKey(deps.db, deps, { userId: created.userId, name: 'test' });
  return { ...created, key: raw };
}

/** Founds an organization aside and moves its admin over: the shortest way to a member with a role. */
export async function joinOrganization(
  deps: PeopleDeps,
  organizationId: string,
  role: Role,
  name: string,
): Promise<Person> {
  const person = await foundOrganization(deps, `${name} alone`, name);
  await directoryStore(deps.db).changeUser(person.userId, { organization_id: organizationId, role });
  return { ...person, organizationId };
}
