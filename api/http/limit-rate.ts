/** Limits the rate of calls, counted in memory: a restart forgets the counts. Nodes publish what they count to each other. */

import { unshared } from '../../cluster/alone.ts';
import type { SharedCount } from '../../cluster/cluster.ts';
import { Refusal, refuse } from '../../reasons/refusals.ts';

/** The requests a minute of one account, with all its keys and tokens, or of an address without credentials. */
export const generalRequestsPerMinute = 300;
/** The requests a minute of all the accounts of an organization together. */
export const organizationRequestsPerMinute = 1_200;
/** The part of an organization's allowance that those made from it may use, all of them together (T-77). */
export const madeShare = 1 / 2;

const windowMs = 60_000;
/**
 * Below a hundredth of a limit, a node's count does not matter, so nodes need not notify each other of every caller.
 */
const toldFrom = 0.01;

/**
 * A limit over named buckets. Both calls refuse with `rate-limited` and the whole seconds after which a call passes.
 */
export interface RateLimit {
  /** Counts one call; a refused call is not counted. */
  count(bucket: string): Promise<void>;
  /** Refuses when the bucket is spent, without counting. */
  check(bucket: string): Promise<void>;
}

/**
 * The times at which the last calls of a bucket passed, in a ring: `next` is the index of the oldest once the ring is
 * full.
 */
interface TokenBucket {
  readonly passedAt: number[];
  next: number;
  lastAt: number;
}

const emptyBucket = (at: number): TokenBucket => ({ passedAt: [], next: 0, lastAt: at });

/**
 * Allows a number of calls in each bucket, within any 60 seconds (INV-67).
 * @param shared publishes what passes here to other nodes; what passes there counts here about a second later
 * @param now never steps, whatever becomes of the clock
 */
export function rateLimit(
  callsPerMinute: number,
  shared: SharedCount = unshared,
  now = () => performance.now(),
): RateLimit {
  // Buckets are ordered by their last call, so that those that may be forgotten stand in front.
  const buckets = new Map<string, TokenBucket>();

  function forgetOld(at: number): void {
    for (const [name, { lastAt }] of buckets) {
      if (lastAt + windowMs > at) return;
      buckets.delete(name);
    }
  }

  function look(name: string, at: number): TokenBucket {
    forgetOld(at);
    const bucket = buckets.get(name) ?? emptyBucket(at);
    const oldest = bucket.passedAt.length < callsPerMinute ? undefined : bucket.passedAt[bucket.next];
    const waitMs = oldest === undefined ? 0 : oldest + windowMs - at;
    if (waitMs > 0) throw refuse('rate-limited', { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) });
    return bucket;
  }

  function pass(name: string, bucket: TokenBucket, at: number): void {
    bucket.passedAt[bucket.next] = at;
    bucket.next = (bucket.next + 1) % callsPerMinute;
    bucket.lastAt = at;
    buckets.delete(name);
    buckets.set(name, bucket);
  }

  const passed = shared(Math.max(1, Math.floor(callsPerMinute * toldFrom)), (name, times) => {
    const at = now();
    forgetOld(at);
    const bucket = buckets.get(name) ?? emptyBucket(at);
    for (let time = 0; time < Math.min(times, callsPerMinute); time++) pass(name, bucket, at);
  });

  return {
    async count(name) {
      const at = now();
      pass(name, look(name, at), at);
      passed(name);
    },
    async check(name) {
      look(name, now());
    },
  };
}

/**
 * Counts one call in several buckets, or in none.
 * @throws Refusal `rate-limited`, with the longest of their waits
 */
export async function countInAll(buckets: readonly (readonly [limit: RateLimit, bucket: string])[]): Promise<void> {
  let refusal: unknown;
  for (const [limit, bucket] of buckets) {
    try {
      await limit.check(bucket);
    } catch (error) {
      if (refusal === undefined || waitOf(refusal) < waitOf(error)) refusal = error;
    }
  }
  if (refusal !== undefined) throw refusal;
  for (const [limit, bucket] of buckets) await limit.count(bucket);
}

function waitOf(refusal: unknown): number {
  return refusal instanceof Refusal ? (refusal.retryAfterSeconds ?? 0) : Number.POSITIVE_INFINITY;
}
