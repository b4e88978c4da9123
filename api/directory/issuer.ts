/** The local issuer of JWTs: one Ed25519 key in the data folder. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { calculateJwkThumbprint, exportJWK, SignJWT } from 'jose';
import type { Clock } from '../../gateway/runtime/clock.ts';

const tokenLifeSeconds = 24 * 3600;

/** Whose tokens count here, and how to make one. `name` and `audience` are the `iss` and `aud` they carry. */
export interface Issuer {
  readonly name: string;
  readonly audience: string;
  readonly keyId: string;
  readonly publicKey: KeyObject;
  /** A token for a day that says: this is that account. */
  issueToken(accountId: string): Promise<string>;
}

/** Opens the issuer, and makes its key on the first start. */
export async function openIssuer(dataFolder: string, clock: Clock): Promise<Issuer> {
  const privateKey = createPrivateKey(await readOrCreate(dataFolder));
  const publicKey = createPublicKey(privateKey);
  const keyId = await calculateJwkThumbprint(await exportJWK(publicKey));
  const name = 'papergate';
  return {
    name,
    audience: name,
    keyId,
    publicKey,
    issueToken(accountId) {
      const now = Math.floor(clock.now() / 1000);
      return new SignJWT()
        .setProtectedHeader({ alg: 'EdDSA', kid: keyId, typ: 'JWT' })
        .setIssuer(name)
        .setAudience(name)
        .setSubject(accountId)
        .setIssuedAt(now)
        .setExpirationTime(now + tokenLifeSeconds)
        .sign(privateKey);
    },
  };
}

/** The key as PEM. Written whole beside its place and then linked there, so that two first starts agree on one. */
async function readOrCreate(dataFolder: string): Promise<string> {
  const path = join(dataFolder, 'token-issuer.key');
  const stored = await readFile(path, 'utf8').catch(ifMissing);
  if (stored !== undefined) return stored;
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  const { privateKey } = generateKeyPairSync('ed25519');
  const aside = `${path}.${process.pid}`;
  const file = await open(aside, 'w', 0o600);
  try {
    await file.writeFile(privateKey.export({ type: 'pkcs8', format: 'pem' }));
    await file.sync();
  } finally {
    await file.close();
  }
  await link(aside, path).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  });
  await unlink(aside);
  return readFile(path, 'utf8');
}

function ifMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}
