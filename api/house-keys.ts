/** The secret that seals tokens and signs addresses: given, or made once in the data folder. */
import { createHash, hkdfSync, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readOrCreate } from '../gateway/runtime/durable-file.ts';

/** Keys derived from the one secret, 32 bytes each, so that one use says nothing about another. */
export interface HouseKeys {
  readonly seal: Uint8Array;
  readonly sign: Uint8Array;
}

/** Opens the keys. A stolen database does not hold them (T-13). */
export async function openHouseKeys(dataFolder: string, given: string | undefined): Promise<HouseKeys> {
  const secret = given ?? (await storedSecret(dataFolder));
  const root = createHash('sha256').update(secret).digest();
  const derive = (use: string): Uint8Array => new Uint8Array(hkdfSync('sha256', root, '', `papergate ${use}`, 32));
  return { seal: derive('seal'), sign: derive('sign') };
}

async function storedSecret(dataFolder: string): Promise<string> {
  return (await readOrCreate(join(dataFolder, 'secret.key'), () => randomBytes(32).toString('hex'))).trim();
}
