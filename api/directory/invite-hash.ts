/** Hashes codes of invitations, so that a reader of the database cannot redeem one. */
import { createHash, scrypt } from 'node:crypto';
import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import { fairShares } from '../../runtime/fair-shares.ts';

/** The cost of guessing one code: 32 MiB and about a tenth of a second. */
const cost = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
/** The number of codes of one account that wait or are being hashed; further ones are refused for now. */
const maxPerOwner = 10;

/** Hashes a code that people may have chosen. `accountId` is the account that waits for it. */
export type HashInvite = (accountId: string, code: string) => Promise<string>;

/**
 * Makes hashes one at a time, so that they cost one thread and little memory no matter who asks, and shared fairly by
 * accounts.
 * @param key kept apart from the database: without it codes cannot even be guessed at
 */
export function slowInviteHash(key: Uint8Array): HashInvite {
  const places = fairShares({ atOnce: 1 });
  const hash = (code: string): Promise<string> =>
    new Promise((resolve, reject) => {
      scrypt(code, key, 32, cost, (error, derived) => (error ? reject(error) : resolve(derived.toString('hex'))));
    });
  const under = new Map<string, number>();
  return async (accountId, code) => {
    const own = under.get(accountId) ?? 0;
    if (own >= maxPerOwner) throw refuse('unavailable', { message: reasonOf('codes-at-once') });
    under.set(accountId, own + 1);
    try {
      return `scrypt:${await places.run([accountId], () => hash(code))}`;
    } finally {
      const left = (under.get(accountId) ?? 1) - 1;
      if (left === 0) under.delete(accountId);
      else under.set(accountId, left);
    }
  };
}

/** Hashes a code that was made here: it is 128 random bits, so one round of SHA-256 suffices. */
export function madeInviteHash(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}
