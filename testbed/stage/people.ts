/** Who uses a stage. */
import { createOrganization } from '../../api/directory/create-organization.ts';
import { createKey } from '../../api/directory/keys.ts';
import { makeSignInCode } from '../../api/directory/sessions.ts';
import type { ServiceContext } from '../../api/service/open/service-context.ts';

/** The administrator to be of an organization to be. */
export interface Owner {
  readonly organization: string;
  readonly name: string;
  readonly email: string;
  /** The name of the key of programs. */
  readonly keyName: string;
}

/** The administrator, and how programs and people sign in as them. */
export interface People {
  readonly organizationId: string;
  /** A key of its administrator. */
  readonly apiKey: string;
  /** Signs in to its console, once. */
  readonly link: string;
}

const sandboxOwner: Owner = {
  organization: 'Sandbox',
  name: 'You',
  email: 'you@sandbox.test',
  keyName: 'papergate sandbox',
};

/** The organization of the stage, made once, with a new key and link of its administrator. */
export async function peopleOf(
  context: ServiceContext,
  http: string,
  { organization, name, email, keyName }: Owner = sandboxOwner,
): Promise<People> {
  const { db } = context;
  if ((await db('organizations').first('id')) === undefined) {
    await createOrganization(db, context, { name: organization, email, kind: null, admin: { name, email } });
  }
  const user = await db('users').where({ email, role: 'admin' }).first();
  if (user === undefined) throw new Error('the administrator of the sandbox was removed');
  const { raw: apiKey } = await createKey(db, context, { userId: user.id, name: keyName });
  const { code } = await makeSignInCode(db, context, user.account_id);
  return { organizationId: user.organization_id, apiKey, link: `${http}/console/#code=${code}` };
}
