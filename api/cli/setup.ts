/** `papergate setup`, `token issue` and `keys create`: the first people, and what they prove themselves with. */
import { refuse } from '../../gateway/runtime/refusals.ts';
import { createOrganization } from '../directory/create-organization.ts';
import { openIssuer } from '../directory/issuer.ts';
import { createKey } from '../directory/keys.ts';
import { directoryStore } from '../directory/store.ts';
import { type House, openHouse, requireHouse } from '../house.ts';
import { readSettings } from '../settings.ts';
import { printResult } from './print.ts';
import { WrongUsage } from './usage.ts';

/** Creates an organization, its admin, and a key and a token for the admin. */
export async function setup(options: {
  organization: string;
  email: string;
  name: string;
  json?: boolean;
}): Promise<void> {
  if (!/^[^@\s]+@[^@\s]+$/.test(options.email)) {
    throw refuse('bad-configuration', { message: `${options.email} is no e-mail address`, hint: 'name@host' });
  }
  for (const [option, text] of Object.entries({ '--organization': options.organization, '--name': options.name })) {
    if (text.trim() === '') throw new WrongUsage(`${option} is empty`, 'give it a name');
  }
  await withHouse(async (house) => {
    const { organizationId, userId, accountId } = await createOrganization(house.db, house, {
      name: options.organization,
      email: options.email,
      kind: null,
      admin: { name: options.name, email: options.email },
    });
    const key = await createKey(house.db, house, { userId, name: 'papergate setup' });
    const issuer = await openIssuer(house.dataFolder, house.clock);
    const accessToken = await issuer.issueToken(accountId);
    printResult({ organizationId, userId, apiKey: key.raw, accessToken }, options.json);
  }, 'may be new');
}

/** Issues a JWT for the account of a user. */
export async function issueToken(options: { user: string; json?: boolean }): Promise<void> {
  await withHouse(async (house) => {
    const { account_id: accountId } = await knownUser(house, options.user);
    const issuer = await openIssuer(house.dataFolder, house.clock);
    printResult({ accessToken: await issuer.issueToken(accountId) }, options.json);
  });
}

/** Creates an API key that acts as a user's account. */
export async function createKeyFor(options: { user: string; name: string; json?: boolean }): Promise<void> {
  await withHouse(async (house) => {
    const { id } = await knownUser(house, options.user);
    const key = await createKey(house.db, house, { userId: id, name: options.name });
    printResult({ id: key.id, apiKey: key.raw }, options.json);
  });
}

async function knownUser(house: House, id: string): Promise<{ id: string; account_id: string }> {
  const user = await directoryStore(house.db).user(id);
  if (user === undefined) throw refuse('not-found', { message: `No user ${id}`, hint: 'papergate setup prints one' });
  return user;
}

/**
 * Opens the house of this environment for one command.
 * @throws Refusal where there is none, unless it may be new
 */
export async function withHouse<Result>(
  work: (house: House) => Promise<Result>,
  age: 'exists' | 'may be new' = 'exists',
): Promise<Result> {
  const settings = readSettings(process.env);
  if (age === 'exists') requireHouse(settings);
  const house = await openHouse(settings);
  try {
    return await work(house);
  } finally {
    await house.close();
  }
}
