/** How often somebody may call: buckets of a minute, counted in memory. */
import { isIPv6 } from 'node:net';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { refuse } from '../../gateway/runtime/refusals.ts';
import { plainAddress } from './caller-address.ts';

/** Requests a minute of the general API, per key or address. */
export const generalRequestsPerMinute = 300;

/** A limit over named buckets. Both refuse with `rate-limited` and the whole seconds that suffice. */
export interface RateLimit {
  /** Counts one call. */
  count(bucket: string): Promise<void>;
  /** Refuses when the bucket is spent, without counting. */
  check(bucket: string): Promise<void>;
}

/** So many calls a minute in each bucket. */
export function rateLimit(callsPerMinute: number): RateLimit {
  const limiter = new RateLimiterMemory({ points: callsPerMinute, duration: 60 });
  return {
    async count(bucket) {
      try {
        await limiter.consume(bucket);
      } catch (spent) {
        throw spent instanceof RateLimiterRes ? refuseUntil(spent) : spent;
      }
    },
    async check(bucket) {
      const state = await limiter.get(bucket);
      if (state !== null && state.consumedPoints > callsPerMinute && state.msBeforeNext > 0) throw refuseUntil(state);
    },
  };
}

function refuseUntil(spent: RateLimiterRes): Error {
  return refuse('rate-limited', { retryAfterSeconds: Math.max(1, Math.ceil(spent.msBeforeNext / 1000)) });
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
