/** Who uses a service whose time is moved. */
import { createOrganization } from '../../api/directory/create-organization.ts';
import { createKey } from '../../api/directory/keys.ts';
import { makeSignInCode } from '../../api/directory/sessions.ts';
import type { ServiceContext } from '../../api/service/open/service-context.ts';

/** The administrator, and how programs and people sign in as them. */
export interface People {
  readonly organizationId: string;
  /** A key of its administrator. */
  readonly apiKey: string;
  /** Signs in to its console, once. */
  readonly link: string;
}

/** The organization of the sandbox, made once, with a new key and link of its administrator. */
export async function peopleOf(context: ServiceContext, http: string): Promise<People> {
  const { db } = context;
  const admin = { name: 'You', email: 'you@sandbox.test' };
  if ((await db('organizations').first('id')) === undefined) {
    await createOrganization(db, context, { name: 'Sandbox', email: admin.email, kind: null, admin });
  }
  const user = await db('users').where({ email: admin.email, role: 'admin' }).first();
  if (user === undefined) throw new Error('the administrator of the sandbox was removed');
  const { raw: apiKey } = await createKey(db, context, { userId: user.id, name: 'papergate sandbox' });
  const { code } = await makeSignInCode(db, context, user.account_id);
  return { organizationId: user.organization_id, apiKey, link: `${http}/console/#code=${code}` };
}
