/** The organization that a command means when nobody names one. */

import { refuse } from '../../reasons/refusals.ts';
import type { Database } from '../../runtime/database/database.ts';

/**
 * The organization of a service that has one.
 * @throws Refusal `bad-configuration` where there is none, or more than one
 */
export async function onlyOrganization(db: Database): Promise<string> {
  const found: { id: string; name: string }[] = await db('organizations').orderBy('created_at').select('id', 'name');
  const [only, other] = found;
  if (only !== undefined && other === undefined) return only.id;
  throw refuse('bad-configuration', {
    message: only === undefined ? 'there is no organization yet' : `there are ${found.length} organizations`,
    hint:
      only === undefined
        ? 'make one: papergate setup'
        : `add --organization and one of ${found.map(({ id, name }) => `${id} (${name})`).join(', ')}`,
  });
}
