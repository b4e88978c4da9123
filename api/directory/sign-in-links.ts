/**
 * Sign-in links that an administrator makes for a member, or that go by mail. Each opens the one organization that
 * vouches for it, works once, and is kept for a while afterwards, so that its page can show that it was used (T-104,
 * T-105).
 */

import { reasonOf } from '../../reasons/reason.ts';
import { type Refusal, refuse } from '../../reasons/refusals.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { Database, Transaction } from '../../runtime/database/database.ts';
import { newRow, type RowIn } from '../../runtime/database/table.ts';
import { tokenHash } from '../../runtime/sealed.ts';
import { roleMay } from '../access/principal.ts';
import type { OrganizationRow, UserRow } from './store.ts';
import { directoryTables } from './tables.ts';

/** A row of `sign_in_links`. */
export type SignInLinkRow = RowIn<typeof directoryTables, 'sign_in_links'>;

type SignInLinkDeps = Pick<CommonDeps, 'clock' | 'random'>;

/** The time for which a link of an administrator works. */
const memberLinkMs = 24 * 3_600_000;
/** The time for which a link by mail works. */
export const mailLinkMs = 15 * 60_000;
/** How long the answer still explains what became of a link that is over. */
const keptMs = 30 * 24 * 3_600_000;

/** Whom a link lets in, and where. */
export interface LinkPlace {
  readonly accountId: string;
  readonly organizationId: string;
}

/** A link that was just made. `code` is returned here and never again. */
export interface MadeSignInLink {
  readonly code: string;
  readonly row: SignInLinkRow;
}

/** Makes the link of an administrator; the one that was made before ends with it. */
export async function makeMemberLink(
  trx: Transaction,
  deps: SignInLinkDeps,
  { accountId, organizationId }: LinkPlace,
  madeBy: string,
): Promise<MadeSignInLink> {
  await trx<SignInLinkRow>('sign_in_links')
    .where({ account_id: accountId, organization_id: organizationId, used_at: null })
    .whereNotNull('made_by')
    .delete();
  return makeLink(
    trx,
    deps,
    { accountId, organizationId },
    { made_by: madeBy, browser_hash: null, lifeMs: memberLinkMs },
  );
}

/** Makes a link that goes by mail, for the browser that holds this secret. */
export function makeMailLink(
  db: Database,
  deps: SignInLinkDeps,
  place: LinkPlace,
  browserSecret: string,
): Promise<MadeSignInLink> {
  const browser_hash = tokenHash(browserSecret);
  return makeLink(db, deps, place, { made_by: null, browser_hash, lifeMs: mailLinkMs });
}

async function makeLink(
  db: Database,
  { clock, random }: SignInLinkDeps,
  { accountId, organizationId }: LinkPlace,
  { lifeMs, ...more }: Pick<SignInLinkRow, 'made_by' | 'browser_hash'> & { readonly lifeMs: number },
): Promise<MadeSignInLink> {
  const [code, now] = [random.secret(32), clock.now()];
  const row: SignInLinkRow = newRow(directoryTables, 'sign_in_links', {
    id: random.id(),
    hash: tokenHash(code),
    account_id: accountId,
    organization_id: organizationId,
    ...more,
    created_at: now,
    ends_at: now + lifeMs,
  });
  await db<SignInLinkRow>('sign_in_links').insert(row);
  return { code, row };
}

/** A link that can be used now, with the person that it lets in. */
export interface OpenSignInLink {
  readonly row: SignInLinkRow;
  readonly user: UserRow;
  readonly organization: OrganizationRow;
}

/**
 * Finds a link that can be used.
 * @param browserSecret what the browser holds, if anything
 * @throws Refusal `not-authenticated`, which states whether it was used, is too old, or belongs to another browser
 */
export async function readSignInLink(
  db: Database,
  code: string,
  browserSecret: string | undefined,
  now: number,
): Promise<OpenSignInLink> {
  const row = await db<SignInLinkRow>('sign_in_links')
    .where({ hash: tokenHash(code) })
    .first();
  if (row === undefined) throw refusedLink('sign-in-link-unknown');
  if (row.used_at !== null) throw refusedLink('sign-in-link-used', row);
  if (row.ends_at <= now) throw refusedLink('sign-in-link-ended', row);
  const isElsewhere =
    row.browser_hash !== null && (browserSecret === undefined || tokenHash(browserSecret) !== row.browser_hash);
  if (isElsewhere) throw refusedLink('sign-in-link-elsewhere', row);
  const found = await vouchedFor(db, row);
  if (found === undefined) throw refusedLink('sign-in-link-unknown', row);
  return { row, ...found };
}

/** Finds the member, as long as the organization has them, and the person who made the link still manages it. */
async function vouchedFor(
  db: Database,
  { account_id, organization_id, made_by }: SignInLinkRow,
): Promise<Omit<OpenSignInLink, 'row'> | undefined> {
  const user = await db<UserRow>('users').where({ account_id, organization_id }).first();
  const organization = await db<OrganizationRow>('organizations').where({ id: organization_id }).first();
  if (user === undefined || organization === undefined) return undefined;
  if (made_by === null) return { user, organization };
  const maker = await db<UserRow>('users').where({ id: made_by, organization_id }).first('role');
  return maker !== undefined && roleMay(maker.role, 'manage') ? { user, organization } : undefined;
}

/**
 * Uses a link up, in the transaction that begins the session: of those who try at the same moment one is let in.
 * @throws Refusal `not-authenticated` for anyone who comes second
 */
export async function useLink(trx: Transaction, row: SignInLinkRow, now: number): Promise<void> {
  const used = await trx<SignInLinkRow>('sign_in_links').where({ id: row.id, used_at: null }).update({ used_at: now });
  if (used !== 1) throw refusedLink('sign-in-link-used', row);
}

type LinkProblem = `sign-in-link-${'unknown' | 'used' | 'ended' | 'elsewhere'}`;

const refusedLink = (problem: LinkProblem, row?: SignInLinkRow): Refusal =>
  refuse('not-authenticated', {
    message: reasonOf(problem),
    hint: reasonOf(row?.browser_hash == null ? 'sign-in-link-anew' : 'mail-link-anew'),
  });

/** The links that let into an account in one of these organizations, the newest first, with who made each. */
export function linksInto(
  db: Database,
  accountId: string,
  organizationIds: readonly string[],
): Promise<(SignInLinkRow & { readonly maker: string | null })[]> {
  return db('sign_in_links')
    .where({ account_id: accountId })
    .whereIn('organization_id', organizationIds)
    .orderBy([{ column: 'created_at', order: 'desc' }, 'id'])
    .limit(20)
    .select('*', db.raw('(select name from users where users.id = sign_in_links.made_by) as maker'));
}

/** Forgets links that have been over for long. */
export const forgetLinks = (db: Database, now: number): Promise<number> =>
  db<SignInLinkRow>('sign_in_links')
    .where('ends_at', '<=', now - keptMs)
    .delete();
