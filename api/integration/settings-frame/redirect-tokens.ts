/**
 * Tokens that a settings page takes along when it sends a person to log in elsewhere, and that come back with settings:
 * a foreign link that holds settings changes nothing. They are kept as hashes only.
 */

import { refuse } from '../../../reasons/refusals.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { Database } from '../../../runtime/database/database.ts';
import { defineTable } from '../../../runtime/database/table.ts';
import type { Random } from '../../../runtime/random.ts';
import { tokenHash } from '../../../runtime/sealed.ts';

/** The time for which a token works, once, for one user and one paper. */
const lifetimeMs = 10 * 60_000;

/** A token's row is deleted when it is used, or when another is made after it has expired. */
export const redirectTokens = defineTable(
  'redirect_tokens',
  {
    hash: 'text primary key',
    user_id: 'text not null',
    paper_id: 'text not null',
    expires_at: 'integer not null',
  },
  ['create index redirect_tokens_by_end on redirect_tokens (expires_at)'],
);

/** The user that a token belongs to, and the paper that it is for. */
interface Owner {
  readonly userId: string;
  readonly paperId: string;
}

/** Makes a token. Its text is stored nowhere. */
export async function createRedirectToken(
  { db, clock, random }: { db: Database; clock: Clock; random: Random },
  { userId, paperId }: Owner,
): Promise<{ readonly tempToken: string; readonly expiresAt: number }> {
  const now = clock.now();
  const tempToken = random.secret(32);
  await db('redirect_tokens').where('expires_at', '<=', now).delete();
  const expiresAt = now + lifetimeMs;
  const row = { hash: tokenHash(tempToken), user_id: userId, paper_id: paperId, expires_at: expiresAt };
  await db('redirect_tokens').insert(row);
  return { tempToken, expiresAt };
}

/**
 * Uses a token up. Of any number of attempts exactly one succeeds.
 * @throws Refusal `redirect-token-spent`
 */
export async function redeemRedirectToken(
  { db, clock }: { db: Database; clock: Clock },
  tempToken: string,
  { userId, paperId }: Owner,
): Promise<void> {
  const used = await db('redirect_tokens')
    .where({ hash: tokenHash(tempToken), user_id: userId, paper_id: paperId })
    .where('expires_at', '>', clock.now())
    .delete();
  if (used !== 1) throw refuse('redirect-token-spent');
}
