/** Challenges for a passkey to sign: each works once, within five minutes, for the name it was made for (T-101). */

import { hash as hashOf } from 'node:crypto';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { Database } from '../../runtime/database/database.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import type { directoryTables } from './tables.ts';

/** For what a challenge counts: an account that makes a passkey, or, without one, somebody who signs in. */
export interface ChallengePurpose {
  readonly rpId: string;
  readonly accountId: string | null;
}

type ChallengeRow = RowIn<typeof directoryTables, 'passkey_challenges'>;

/** The time that a person may take at their device. */
export const challengeLifetimeMs = 5 * 60_000;

/** Makes a challenge. Expired ones are forgotten here, since nobody may ever come back for them. */
export async function makeChallenge(
  { db, clock, random }: Pick<CommonDeps, 'db' | 'clock' | 'random'>,
  { rpId, accountId }: ChallengePurpose,
): Promise<string> {
  const [challenge, now] = [random.secret(32), clock.now()];
  await db<ChallengeRow>('passkey_challenges').where('ends_at', '<=', now).delete();
  const ends_at = now + challengeLifetimeMs;
  await db<ChallengeRow>('passkey_challenges').insert({
    hash: digest(challenge),
    account_id: accountId,
    rp_id: rpId,
    ends_at,
  });
  return challenge;
}

/** Uses a challenge up; returns whether it was one for this purpose. */
export async function spendChallenge(
  db: Database,
  challenge: string,
  { rpId, accountId }: ChallengePurpose,
  now: number,
): Promise<boolean> {
  const spent = await db<ChallengeRow>('passkey_challenges')
    .where({ hash: digest(challenge), rp_id: rpId, account_id: accountId })
    .where('ends_at', '>', now)
    .delete();
  return spent === 1;
}

const digest = (challenge: string): string => hashOf('sha256', challenge, 'hex');
