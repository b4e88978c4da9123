/** Links of members to devices and papers, which show them what their role alone would not. */
import { refuse } from '../../reasons/refusals.ts';
import { type Database, transact } from '../../runtime/database/database.ts';
import { linkedDevices, linkedPapers } from '../access/links.ts';
import { isVisibleTo, membershipIn, type Principal, requireMembership } from '../access/principal.ts';
import { requireAdminNow } from './change-user.ts';
import type { DirectoryDeps } from './directory-deps.ts';
import { addLinks, endLinks, type Links } from './link-rows.ts';
import { directoryStore } from './store.ts';

/** The most devices, and the most papers, that one call links. */
export const maxLinksAtOnce = 500;

/**
 * Lists what is linked to a user.
 * @throws Refusal `not-found` for a user whom the caller cannot see
 */
export async function linksOf(db: Database, principal: Principal, userId: string): Promise<Links> {
  const user = await directoryStore(db).user(userId);
  if (user === undefined || !isVisibleTo(membershipIn(principal, user.organization_id), userId)) {
    throw refuse('not-found');
  }
  const [devices, papers] = [linkedDevices(userId), linkedPapers(userId)];
  const inside = { organization_id: user.organization_id };
  const idsOf = (table: string, { sql, bindings }: typeof devices): Promise<string[]> =>
    db(table)
      .where(inside)
      .whereRaw(`id in (${sql})`, [...bindings] as string[])
      .orderBy('id')
      .pluck('id');
  return { devices: await idsOf('devices', devices), papers: await idsOf('papers', papers) };
}

/** A change of a user's links: these are made, or ended. */
export interface LinkChange extends Links {
  readonly sees: boolean;
}

/**
 * Links devices and papers to a user, or ends their links; a device no longer names a patient whose link has ended.
 * Links that already are as wanted stay so.
 * @throws Refusal `not-found` for a user, device or paper elsewhere, `access-denied`, or `conflict` for a device or
 * paper that is linked to as many as it may be
 */
export async function changeLinks(
  deps: Pick<DirectoryDeps, 'db' | 'clock'>,
  principal: Principal,
  userId: string,
  change: LinkChange,
): Promise<Links> {
  const user = await directoryStore(deps.db).user(userId);
  const membership = user && membershipIn(principal, user.organization_id);
  if (user === undefined || !isVisibleTo(membership, userId)) throw refuse('not-found');
  const { organizationId } = requireMembership(principal, user.organization_id, 'manage');
  await transact(deps.db, async (trx) => {
    await requireAdminNow(trx, principal, organizationId);
    // Somebody may have moved or removed the user before the organization was locked.
    if ((await directoryStore(trx).user(userId))?.organization_id !== organizationId) throw refuse('not-found');
    const linked = { userId, organizationId };
    if (change.sees) await addLinks(trx, linked, change, deps.clock.now());
    else await endLinks(trx, linked, change, deps.clock.now());
  });
  return linksOf(deps.db, principal, userId);
}
