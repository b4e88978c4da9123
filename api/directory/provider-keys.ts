/**
 * The published keys of an identity provider, kept for a while. A key that the provider withdraws is out after ten
 * minutes; a provider that is away for less than an hour locks nobody out whose key is known.
 */

import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import type { Clock } from '../../runtime/clock.ts';

/** Keys of this age are read again before they are used. */
const freshMs = 10 * 60_000;
/** Keys of this age are no longer used when they cannot be fetched again. */
const staleMs = 60 * 60_000;
/**
 * The pause between two reads, so that tokens with made-up key ids cost the provider nothing (T-26). It is shorter
 * while the provider is away.
 */
const pauseMs = { answering: 30_000, away: 5_000 };

const keySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });

interface KeptKeys {
  readonly choose: JWTVerifyGetKey;
  readonly readAt: number;
}

/**
 * Chooses the key for a token by its key id among those published, each bound to its algorithm (T-25). `read` gives the
 * JWKS document's text and may fail.
 * @throws jose's errors for tokens that no published key fits, Refusal `unavailable` when that cannot be known (C-32)
 */
export function providerKeys(deps: { readonly read: () => Promise<string>; readonly clock: Clock }): JWTVerifyGetKey {
  const { clock } = deps;
  let kept: KeptKeys | undefined;
  let triedAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;

  async function readAgain(): Promise<void> {
    triedAt = clock.now();
    try {
      kept = { choose: createLocalJWKSet(keySet.parse(JSON.parse(await deps.read()))), readAt: clock.now() };
    } catch {
      // The known keys stay; the missing ones are reported below.
    }
  }

  /** Reads the document unless that was tried a moment ago; all callers meanwhile wait for one read. */
  async function refresh(): Promise<void> {
    const pause = kept !== undefined && isCurrent(kept) ? pauseMs.answering : pauseMs.away;
    if (reading === undefined && clock.now() - triedAt < pause) return;
    reading ??= readAgain().finally(() => {
      reading = undefined;
    });
    await reading;
  }

  /** The keys are current when the last attempt to read the document gave them. */
  const isCurrent = (keys: KeptKeys): boolean => keys.readAt >= triedAt;

  return async (header, token) => {
    if (kept === undefined || clock.now() - kept.readAt >= freshMs) await refresh();
    if (kept === undefined || clock.now() - kept.readAt >= staleMs) throw unavailable();
    try {
      return await kept.choose(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      // The key may have been published since.
      await refresh();
      if (!isCurrent(kept)) throw unavailable();
      return kept.choose(header, token);
    }
  };
}

function unavailable(): Error {
  return refuse('unavailable', { message: reasonOf('provider-silent') });
}
