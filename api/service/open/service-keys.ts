/** The secret that seals tokens and signs addresses: given, or made once in the data folder. */
import { createHash, hkdfSync, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { refuse } from '../../../reasons/refusals.ts';
import { readOrCreate } from '../../../runtime/disk/durable-file.ts';

/** Keys derived from the one secret, 32 bytes each, so that one use reveals nothing about another. */
export interface ServiceKeys {
  readonly seal: Uint8Array;
  readonly sign: Uint8Array;
  readonly invite: Uint8Array;
  /** Seals the messages between nodes. */
  readonly nodes: Uint8Array;
}

/** Opens the keys. A stolen database does not hold them (T-13). */
export async function openServiceKeys(dataFolder: string, given: string | undefined): Promise<ServiceKeys> {
  const secret = given ?? (await storedSecret(dataFolder));
  const root = createHash('sha256').update(secret).digest();
  const derive = (use: string): Uint8Array => new Uint8Array(hkdfSync('sha256', root, '', `papergate ${use}`, 32));
  return { seal: derive('seal'), sign: derive('sign'), invite: derive('invite'), nodes: derive('nodes') };
}

/** The file of the secret in a data folder. */
export const secretFile = 'secret.key';

/**
 * Returns whether a text is a secret as we make them. From an empty or cut one everybody could compute the keys (T-13).
 */
export function isWholeSecret(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text.trim());
}

/** The advice for a secret that is not whole. */
export const secretHint =
  'put it back from a backup; if there is none, remove it: a new one is made, and integrations have to connect again';

async function storedSecret(dataFolder: string): Promise<string> {
  const path = join(dataFolder, secretFile);
  const secret = await readOrCreate(path, () => randomBytes(32).toString('hex'));
  if (isWholeSecret(secret)) return secret.trim();
  throw refuse('damaged-file', { message: `${path} holds no whole secret`, hint: secretHint });
}
