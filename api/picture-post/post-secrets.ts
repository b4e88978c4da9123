/** Secrets that people read, type and dictate: 32 letters and digits, in which case makes no difference and none looks like another. */
import type { Random } from '../../runtime/random.ts';

const letters = '0123456789abcdefghjkmnpqrstvwxyz';

/** Makes a secret of so many letters, each of five random bits, in lower case. */
export function readableSecret(random: Pick<Random, 'secret'>, length: number): string {
  const bytes = Buffer.from(random.secret(length), 'base64url');
  return Array.from(bytes, (byte) => letters[byte & 31]).join('');
}

/** Returns a secret as it was made, however somebody typed it. */
export const secretAsMade = (typed: string): string =>
  typed.toLowerCase().replaceAll('-', '').replaceAll('o', '0').replaceAll(/[il]/g, '1');

/** Writes a code in groups for people, in upper case. */
export const writtenCode = (code: string): string => (code.toUpperCase().match(/.{1,4}/g) ?? []).join('-');
