/** Addresses that are their own permission: for one method, one path and a short time. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../runtime/clock.ts';

/** The time for which an address works. */
const lifetimeMs = 10 * 60_000;

/** The path that all signed addresses begin with. */
export const signedPrefix = '/signed/';

/** The dependencies of signing. `baseUrl` is where browsers reach the service. */
export interface SigningDeps {
  readonly key: Uint8Array;
  readonly clock: Clock;
  readonly baseUrl: () => string;
}

/** An address, and its end in epoch milliseconds. */
export interface SignedAddress {
  readonly url: string;
  readonly expiresAt: number;
}

/** Makes and checks addresses of the form `BASE PATH/EXPIRY?s=SEAL`. */
export interface AddressSigner {
  sign(method: 'GET' | 'PUT', path: string): SignedAddress;
  /** Returns whether this seal belongs to this very path, whose last segment is its expiry, and the time is not over. */
  isGood(method: 'GET' | 'PUT', path: string, seal: string): boolean;
}

export function addressSigner({ key, clock, baseUrl }: SigningDeps): AddressSigner {
  const sealOf = (method: string, path: string): string =>
    createHmac('sha256', key).update(`${method} ${path}`).digest('base64url');
  return {
    sign(method, path) {
      const expiresAt = clock.now() + lifetimeMs;
      const whole = `${path}/${expiresAt}`;
      return { url: `${baseUrl()}${whole}?s=${sealOf(method, whole)}`, expiresAt };
    },
    isGood(method, path, seal) {
      // The text is compared, not the bytes it decodes to: decoding forgives characters that were added.
      const [right, given] = [Buffer.from(sealOf(method, path)), Buffer.from(seal)];
      const expiresAt = Number(path.slice(path.lastIndexOf('/') + 1));
      return given.length === right.length && timingSafeEqual(given, right) && clock.now() < expiresAt;
    },
  };
}
