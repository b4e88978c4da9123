/** Randomness as an edge: ids, secrets and jitter, handed in so that a seed reproduces everything. */
import { randomBytes, randomInt } from 'node:crypto';
import type { Clock } from './clock.ts';

/** Where randomness comes from. */
export interface Random {
  /** 24 lowercase hex characters: 4 bytes of seconds, 8 random bytes. */
  id(): string;
  /** Random bytes as base64url, for tokens and unguessable paths. */
  secret(bytes: number): string;
  /** A number in [0, 1). */
  jitter(): number;
}

/** Random bytes that are asked of the machine at once: asking costs more than the bytes, and every event takes an id. */
const poolBytes = 4096;

/** Randomness of the machine. */
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

/** Not after any id that was made at this moment (epoch milliseconds) or later: ids begin with their second. */
export function earliestId(at: number): string {
  return (Math.max(0, Math.floor(at / 1000)) >>> 0).toString(16).padStart(8, '0');
}

/** Whether a text can be an id of ours at all. */
export function isId(text: string): boolean {
  return /^[0-9a-f]{24}$/.test(text);
}
