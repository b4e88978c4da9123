/** How often somebody may call, counted in memory: a restart forgets what was counted. */
import { isIPv6 } from 'node:net';
import { refuse } from '../../gateway/runtime/refusals.ts';
import { plainAddress } from './caller-address.ts';

/** Requests a minute of the general API, per key or address. */
export const generalRequestsPerMinute = 300;

const windowMs = 60_000;

/** A limit over named buckets. Both refuse with `rate-limited` and the whole seconds that suffice. */
export interface RateLimit {
  /** Counts one call; one that is refused is not counted. */
  count(bucket: string): Promise<void>;
  /** Refuses when the bucket is spent, without counting. */
  check(bucket: string): Promise<void>;
}

/** When the last calls of a bucket passed, in a ring: `next` is the place of the oldest once the ring is full. */
interface Bucket {
  readonly passedAt: number[];
  next: number;
  lastAt: number;
}

/** So many calls in each bucket, within any 60 seconds (INV-67). `now` never steps, whatever becomes of the clock. */
export function rateLimit(callsPerMinute: number, now = () => performance.now()): RateLimit {
  // Ordered by the last call, so that what may be forgotten stands in front.
  const buckets = new Map<string, Bucket>();

  function forgetOld(at: number): void {
    for (const [name, { lastAt }] of buckets) {
      if (lastAt + windowMs > at) return;
      buckets.delete(name);
    }
  }

  function look(name: string, at: number): Bucket {
    forgetOld(at);
    const bucket = buckets.get(name) ?? { passedAt: [], next: 0, lastAt: at };
    const oldest = bucket.passedAt.length < callsPerMinute ? undefined : bucket.passedAt[bucket.next];
    const waitMs = oldest === undefined ? 0 : oldest + windowMs - at;
    if (waitMs > 0) throw refuse('rate-limited', { retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) });
    return bucket;
  }

  return {
    async count(name) {
      const at = now();
      const bucket = look(name, at);
      bucket.passedAt[bucket.next] = at;
      bucket.next = (bucket.next + 1) % callsPerMinute;
      bucket.lastAt = at;
      buckets.delete(name);
      buckets.set(name, bucket);
    },
    async check(name) {
      look(name, now());
    },
  };
}

/** The bucket of an address: an IPv6 caller owns a whole /64, so that is what counts (T-23). */
export function addressBucket(address: string): string {
  if (!address.includes(':')) return address;
  const plain = plainAddress(address) ?? address;
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - front.length - back.length)).fill('0');
  return `${[...front, ...zeros, ...back].slice(0, 4).join(':')}::/64`;
}
