/** Guest links: with one, somebody without an account sends pictures to one paper. The secret is stored as its hash. */

import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Database } from '../../runtime/database/database.ts';
import { firstRow } from '../../runtime/database/plain-sql.ts';
import { newRow, type RowIn } from '../../runtime/database/table.ts';
import type { Random } from '../../runtime/random.ts';
import { isSameHash, tokenHash } from '../../runtime/sealed.ts';
import { type Role, roleMay } from '../access/principal.ts';
import type { PaperRow } from './store.ts';
import { papersTables } from './tables.ts';

/** A row of `guest_links`. */
export type GuestLinkRow = RowIn<typeof papersTables, 'guest_links'>;

/** The most links that a paper has, ended ones included. */
const maxLinks = 200;
/** An ended link is kept for this long, so that anyone who opens it learns why. */
const rememberedMs = 90 * 86_400_000;

const rowsOf = (db: Database) => db<GuestLinkRow>('guest_links');

/** The wishes of the person who makes a link. */
export interface GuestLinkOptions {
  readonly name: string;
  readonly showsResult: boolean;
  readonly maxPictures: number | null;
  readonly endsAt: number | null;
}

/**
 * Makes a link in a transaction that has locked the paper.
 * @throws Refusal `conflict` for a paper that has as many as it may
 * @returns the row, and the secret, which is kept nowhere
 */
export async function makeGuestLink(
  db: Database,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
  paper: Pick<PaperRow, 'id' | 'organization_id'>,
  { userId, ...wish }: GuestLinkOptions & { readonly userId: string },
): Promise<{ readonly row: GuestLinkRow; readonly token: string }> {
  if ((await guestLinksOf(db, paper.id)).length >= maxLinks) {
    throw refuse('conflict', {
      message: reasonOf('many-guest-links', { most: maxLinks }),
    });
  }
  const token = random.secret(32);
  const row: GuestLinkRow = newRow(papersTables, 'guest_links', {
    id: random.id(),
    paper_id: paper.id,
    organization_id: paper.organization_id,
    user_id: userId,
    hash: tokenHash(token),
    name: wish.name,
    shows_result: Number(wish.showsResult),
    max_pictures: wish.maxPictures,
    used: 0,
    created_at: clock.now(),
    ends_at: wish.endsAt,
  });
  await rowsOf(db).insert(row);
  return { row, token };
}

/** The links of a paper, the newest first. */
export const guestLinksOf = (db: Database, paperId: string): Promise<GuestLinkRow[]> =>
  rowsOf(db)
    .where({ paper_id: paperId })
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ]);

/** Revokes a link; returns the number of links that were in force, 0 or 1. */
export const revokeGuestLink = (db: Database, paperId: string, id: string, now: number): Promise<number> =>
  rowsOf(db).where({ paper_id: paperId, id, revoked_at: null }).update({ revoked_at: now });

/** The state of a link; `used-up` still shows what was sent. */
export type GuestLinkState = 'active' | 'expired' | 'revoked' | 'used-up';

/** The paper that a guest's link opens, with the link. */
export interface Guest {
  readonly link: GuestLinkRow;
  readonly paper: PaperRow;
  /** The account in whose name the pictures are taken in: of the member who made the link. */
  readonly accountId: string;
}

interface MemberColumns {
  readonly role: Role | null;
  readonly account_id: string | null;
}

const memberSql = 'select role, account_id from users where id = ? and organization_id = ?';

/** Says whether a link is in force, by itself. */
export function stateOfLink(link: GuestLinkRow, now: number): GuestLinkState {
  if (link.revoked_at !== null) return 'revoked';
  if (link.ends_at !== null && link.ends_at <= now) return 'expired';
  return link.max_pictures !== null && link.used >= link.max_pictures ? 'used-up' : 'active';
}

/**
 * Finds the guest of a secret.
 * @throws Refusal `guest-link-unknown`, `guest-link-revoked` or `guest-link-expired`
 */
export async function requireGuest(db: Database, token: string, now: number): Promise<Guest> {
  const hash = tokenHash(token);
  const link = await rowsOf(db).where({ hash }).first();
  // The link is found by its hash, and accepted by a comparison in constant time (T-14).
  if (link === undefined || !isSameHash(link.hash, hash)) throw refuse('guest-link-unknown');
  const state = stateOfLink(link, now);
  if (state === 'expired') throw refuse('guest-link-expired');
  const paper = await db<PaperRow>('papers').where({ id: link.paper_id }).first();
  const member = await firstRow<MemberColumns>(db, memberSql, [link.user_id, link.organization_id]);
  const { role = null, account_id: accountId = null } = member ?? {};
  const isMoved = paper?.organization_id !== link.organization_id;
  if (state === 'revoked' || paper === undefined || isMoved) throw refuse('guest-link-revoked');
  if (role === null || accountId === null || !roleMay(role, 'write')) throw refuse('guest-link-revoked');
  return { link, paper, accountId };
}

/**
 * Takes one of the link's places, in the transaction that stores the picture: of two who come for the last one, one gets
 * it.
 * @throws Refusal that states why the link no longer takes a picture
 */
export async function takeGuestPlace(db: Database, { id }: GuestLinkRow, now: number): Promise<void> {
  const taken = await rowsOf(db)
    .where({ id, revoked_at: null })
    .where((ends) => ends.whereNull('ends_at').orWhere('ends_at', '>', now))
    .where((left) => left.whereNull('max_pictures').orWhereRaw('used < max_pictures'))
    .update({ used: db.raw('used + 1'), used_at: now });
  if (taken === 1) return;
  const link = await rowsOf(db).where({ id }).first();
  const state = link === undefined ? 'revoked' : stateOfLink(link, now);
  throw refuse(
    state === 'expired' ? 'guest-link-expired' : state === 'used-up' ? 'guest-link-used-up' : 'guest-link-revoked',
  );
}

/** Forgets links that ended long ago. */
export const forgetGuestLinks = (db: Database, now: number): Promise<number> =>
  rowsOf(db)
    .where('revoked_at', '<', now - rememberedMs)
    .orWhere('ends_at', '<', now - rememberedMs)
    .delete();
