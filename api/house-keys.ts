/** The secret that seals tokens and signs addresses: given, or made once in the data folder. */
import { createHash, hkdfSync, randomBytes } from 'node:crypto';
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

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
  const path = join(dataFolder, 'secret.key');
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  const stored = await readFile(path, 'utf8').catch(() => undefined);
  if (stored !== undefined) return stored.trim();
  // Two processes may start at once: whole files are linked into place, and only one link succeeds.
  const aside = `${path}.${process.pid}`;
  await writeFile(aside, randomBytes(32).toString('hex'), { mode: 0o600, flush: true });
  await link(aside, path).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  });
  await unlink(aside);
  return (await readFile(path, 'utf8')).trim();
}
