/** The source of ids, secrets and jitter, which is handed in, so that a seed reproduces everything. */
import { randomBytes, randomInt } from 'node:crypto';
import type { Clock } from './clock.ts';

/** A source of randomness. */
export interface Random {
  /** Makes an id of 24 lowercase hex characters: 4 bytes of seconds, 8 random bytes. */
  id(): string;
  /** Makes random bytes as base64url, for tokens and unguessable paths. */
  secret(bytes: number): string;
  /** Draws a number in [0, 1). */
  jitter(): number;
}

/**
 * The number of random bytes per request to the machine: a request costs more than its bytes, and every event takes an
 * id.
 */
const poolBytes = 4096;

/** The randomness of the machine. */
export function systemRandom(clock: Clock): Random {
  let pool = Buffer.alloc(0);
  let at = 0;
  return {
    id() {
      const seconds = Math.floor(clock.now() / 1000) >>> 0;
      if (at + 8 > pool.length) {
        pool = randomBytes(poolBytes);
        at = 0;
      }
      at += 8;
      return seconds.toString(16).padStart(8, '0') + pool.toString('hex', at - 8, at);
    },
    secret: (bytes) => randomBytes(bytes).toString('base64url'),
    jitter: () => randomInt(2 ** 32) / 2 ** 32,
  };
}

/** Returns a text that sorts before or with every id made at this moment (epoch milliseconds) or later. */
export function earliestId(at: number): string {
  return (Math.max(0, Math.floor(at / 1000)) >>> 0).toString(16).padStart(8, '0');
}

/** Returns whether a text has the form of our ids. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{24}$/.test(text);
}
