/** Secrets at rest: hashes for look-up, AES-256-GCM for what must be given out again. */
import { createCipheriv, createDecipheriv, hash, timingSafeEqual } from 'node:crypto';
import type { Random } from './random.ts';

const nonceBytes = 12;
const tagBytes = 16;

/** Hashes a token with SHA-256, as hex: 256 random bits need no salt. */
export function tokenHash(token: string): string {
  return hash('sha256', token);
}

/** Compares two hashes in a time that does not show where they differ (T-14). */
export function isSameHash(left: string, right: string): boolean {
  const leftBytes = Buffer.from(left);
  const rightBytes = Buffer.from(right);
  return leftBytes.length === rightBytes.length && timingSafeEqual(leftBytes, rightBytes);
}

/** Encrypts a secret under a 32-byte key. `place` names row and column, so that ciphertexts cannot change places. */
export function seal(secret: string, place: string, key: Uint8Array, random: Random): string {
  const nonce = Buffer.from(random.secret(nonceBytes), 'base64url');
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(place));
  const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** Decrypts what `seal` made. It throws when key, place or text differ: then the stored row is damaged. */
export function open(sealed: string, place: string, key: Uint8Array): string {
  const bytes = Buffer.from(sealed, 'base64url');
  const nonce = bytes.subarray(0, nonceBytes);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(place));
  decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  const secret = Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]);
  return secret.toString('utf8');
}
