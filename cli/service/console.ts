/** `papergate console`: a link that signs its finder in to the console, once and within ten minutes. */
import { makeSignInCode } from '../../api/directory/sessions.ts';
import { directoryStore, invitedSubject } from '../../api/directory/store.ts';
import type { ServiceContext } from '../../api/service/open/service-context.ts';
import { readSettings } from '../../api/service/settings/settings.ts';
import { refuse } from '../../reasons/refusals.ts';
import { isoTime } from '../../runtime/clock.ts';
import { withContext } from '../ground/data-folder.ts';
import { printResult } from '../ground/print.ts';
import { listeningAddress } from '../ground/service-address.ts';

/** A link, and the time until which it works. */
export interface ConsoleLink {
  readonly url: string;
  readonly expiresAt: string;
}

/** Prints a link for a user; without one for the only admin, or on a new service for anyone who makes its organization. */
export async function printConsoleLink(options: { user?: string; json?: boolean }): Promise<void> {
  await withContext(async (context) => {
    printResult({ ...(await linkFor(context, await chooseAccount(context, options.user))) }, options.json);
  });
}

/** Makes a link. The code stands behind the `#`, which no browser sends and no server logs (T-69). */
export async function linkFor(context: ServiceContext, accountId: string | null): Promise<ConsoleLink> {
  const { code, endsAt } = await makeSignInCode(context.db, context, accountId);
  return { url: `${await consoleAddress(context)}#code=${code}`, expiresAt: isoTime(endsAt) };
}

/** The console's address: the one that the operator named, else where the service listens now, else where it would. */
async function consoleAddress({ dataFolder }: ServiceContext): Promise<string> {
  const settings = readSettings(process.env);
  return `${settings.PAPERGATE_PUBLIC_URL ?? (await listeningAddress(dataFolder, settings))}/console/`;
}

async function chooseAccount({ db }: ServiceContext, userId: string | undefined): Promise<string | null> {
  if (userId !== undefined) {
    const user = await directoryStore(db).user(userId);
    if (user === undefined)
      throw refuse('not-found', { message: `No user ${userId}`, hint: 'papergate setup prints one' });
    return user.account_id;
  }
  if ((await db('organizations').first('id')) === undefined) return null;
  const admins: { id: string; account_id: string; name: string }[] = await db('users')
    .join('accounts', 'accounts.id', 'users.account_id')
    .where('users.role', 'admin')
    // People who were invited and have not joined yet do not count.
    .whereNot('accounts.subject', 'like', invitedSubject('%'))
    .orderBy(['users.created_at', 'users.id'])
    .select('users.id', 'users.account_id', 'users.name');
  const [first, other] = [...new Map(admins.map((admin) => [admin.account_id, admin])).values()];
  if (first !== undefined && other === undefined) return first.account_id;
  if (first === undefined) {
    throw refuse('invalid-request', {
      message: 'Nobody who has joined is an admin',
      hint: 'name the user who signs in: papergate console --user ID',
    });
  }
  const named = admins.slice(0, 10).map(({ id, name }) => `${id} (${name})`);
  throw refuse('invalid-request', {
    message: 'There are several people who could be meant',
    hint: `name one: papergate console --user ID, with the id of ${named.join(', ')}`,
  });
}
