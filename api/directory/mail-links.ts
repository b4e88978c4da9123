/**
 * Sign-in links by mail. Anyone who asks learns nothing of who is here: the answer is given before anybody is looked for, and
 * a link works in the browser that asked alone (T-107).
 */

import type { IncomingHttpHeaders } from 'node:http';
import { camelOf } from '../../runtime/database/camel-case.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { transact } from '../../runtime/database/database.ts';
import type { RequestOrigin } from '../http/request-origin.ts';
import { wordMailLinks } from './mail-words.ts';
import { cookieValue } from './session-cookie.ts';
import { type LinkPlace, mailLinkMs, makeMailLink, type SignInLinkRow } from './sign-in-links.ts';
import { directoryStore, invitedSubject } from './store.ts';

/** An email with links. */
export interface LinkLetter {
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly id: string;
}

export interface MailLinkDeps extends Pick<CommonDeps, 'db' | 'clock' | 'random'> {
  /** Sends an email; undefined where the operator set up no mail. Why one was not accepted is reported to the operator there. */
  readonly sendLinks: ((letter: LinkLetter) => Promise<void>) | undefined;
  /**
   * The public address of the service. The host that a request names is not used: a forged one would lead people
   * astray.
   */
  readonly publicUrl: () => string;
}

/** Who asks, and with which browser. */
export interface AskedLink {
  readonly email: string;
  readonly language: string;
  readonly browserSecret: string;
}

/** The links of one account that are sent in an hour. */
const maxHourly = 3;
const hourMs = 3_600_000;
/** The organizations of one address to which an email has links. */
const maxPlaces = 5;

const cookieName = 'papergate_mail_link';

/** Returns what the browser holds by which a link by mail knows it. */
export function mailCookie(headers: IncomingHttpHeaders): string | undefined {
  const value = cookieValue(headers, cookieName);
  return value !== undefined && /^[\w-]{43}$/.test(value) ? value : undefined;
}

/** Returns the `Set-Cookie` by which a browser is known again while its link works. */
export function writeMailCookie(secret: string, { isHttps, prefix }: RequestOrigin): string {
  const attributes = [`Path=${prefix}/sessions`, `Max-Age=${mailLinkMs / 1000}`, 'HttpOnly', 'SameSite=Strict'];
  return [`${cookieName}=${secret}`, ...attributes, ...(isHttps ? ['Secure'] : [])].join('; ');
}

/** Sends an address its links, one for each organization that names it; nothing to an address that nobody here has. */
export async function mailLinks(deps: MailLinkDeps, { email, language, browserSecret }: AskedLink): Promise<void> {
  const { random, sendLinks } = deps;
  if (sendLinks === undefined) return;
  const links: { readonly organization: string; readonly url: string }[] = [];
  for (const { organization, ...place } of await placesOf(deps, email)) {
    const code = await makeWithinBounds(deps, place, browserSecret);
    if (code !== undefined) links.push({ organization, url: `${deps.publicUrl()}/console/#link=${code}` });
  }
  if (links.length === 0) return;
  await sendLinks({ to: [email], ...wordMailLinks(language, links, mailLinkMs / 60_000), id: random.id() });
}

/** Finds the members with this address, as their organizations write it. */
async function placesOf(
  { db }: MailLinkDeps,
  email: string,
): Promise<(LinkPlace & { readonly organization: string })[]> {
  const rows = await db('users')
    .join('accounts', 'accounts.id', 'users.account_id')
    .join('organizations', 'organizations.id', 'users.organization_id')
    .whereRaw('lower(users.email) = lower(?)', [email])
    // Anyone who was invited and has not come yet has their invitation.
    .whereNot('accounts.subject', 'like', invitedSubject('%'))
    .orderBy(['users.created_at', 'users.id'])
    .limit(maxPlaces)
    .select('users.account_id', 'users.organization_id', 'organizations.name');
  return rows.map((row) => ({ ...camelOf(row, 'account_id', 'organization_id'), organization: row.name }));
}

/** Makes a link, unless the account had as many as it may within the hour. */
function makeWithinBounds(deps: MailLinkDeps, place: LinkPlace, browserSecret: string): Promise<string | undefined> {
  return transact(deps.db, async (trx) => {
    await directoryStore(trx).lockAccount(place.accountId);
    const before = await trx<SignInLinkRow>('sign_in_links')
      .where({ account_id: place.accountId, organization_id: place.organizationId, made_by: null })
      .where('created_at', '>', deps.clock.now() - hourMs)
      .select('id');
    if (before.length >= maxHourly) return undefined;
    return (await makeMailLink(trx, deps, place, browserSecret)).code;
  });
}
