/** `papergate setup`, `token issue` and `keys create`: the first people, and their credentials. */

import { emailAddress } from '../../api/directory/address.ts';
import { createOrganization } from '../../api/directory/create-organization.ts';
import { openIssuer } from '../../api/directory/issuer.ts';
import { createKey } from '../../api/directory/keys.ts';
import { directoryStore } from '../../api/directory/store.ts';
import type { ServiceContext } from '../../api/service/open/service-context.ts';
import { refuse } from '../../reasons/refusals.ts';
import { withContext } from '../ground/data-folder.ts';
import { printResult } from '../ground/print.ts';
import { WrongUsage } from '../ground/usage.ts';
import { linkFor } from './console.ts';

/** Creates an organization, its admin, and a key and a token for the admin. */
export async function setup(options: {
  organization: string;
  email: string;
  name: string;
  json?: boolean;
}): Promise<void> {
  if (!emailAddress.safeParse(options.email).success) {
    throw refuse('bad-configuration', {
      message: `${options.email} is not an email address`,
      hint: 'name@example.org',
    });
  }
  for (const [option, text] of Object.entries({ '--organization': options.organization, '--name': options.name })) {
    if (text.trim() === '') throw new WrongUsage(`${option} is empty`, 'give it a name');
  }
  await withContext(async (context) => {
    const { organizationId, userId, accountId } = await createOrganization(context.db, context, {
      name: options.organization,
      email: options.email,
      kind: null,
      admin: { name: options.name, email: options.email },
    });
    const key = await createKey(context.db, context, { userId, name: 'papergate setup' });
    const issuer = await openIssuer(context.dataFolder, context.clock);
    const accessToken = await issuer.issueToken(accountId);
    const { url } = await linkFor(context, accountId);
    printResult({ organizationId, userId, apiKey: key.raw, accessToken, console: url }, options.json);
  }, 'may be new');
}

/** Issues a JWT for the account of a user. */
export async function issueToken(options: { user: string; json?: boolean }): Promise<void> {
  await withContext(async (context) => {
    const { account_id: accountId } = await knownUser(context, options.user);
    const issuer = await openIssuer(context.dataFolder, context.clock);
    printResult({ accessToken: await issuer.issueToken(accountId) }, options.json);
  });
}

/** Creates an API key that acts as a user's account. */
export async function createKeyFor(options: { user: string; name: string; json?: boolean }): Promise<void> {
  await withContext(async (context) => {
    const { id } = await knownUser(context, options.user);
    const key = await createKey(context.db, context, { userId: id, name: options.name });
    printResult({ id: key.id, apiKey: key.raw }, options.json);
  });
}

async function knownUser(context: ServiceContext, id: string): Promise<{ id: string; account_id: string }> {
  const user = await directoryStore(context.db).user(id);
  if (user === undefined) throw refuse('not-found', { message: `No user ${id}`, hint: 'papergate setup prints one' });
  return user;
}
