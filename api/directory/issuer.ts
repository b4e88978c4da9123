/** The local issuer of JWTs: one Ed25519 key in the data folder. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { calculateJwkThumbprint, exportJWK, SignJWT } from 'jose';
import { refuse } from '../../reasons/refusals.ts';
import type { Clock } from '../../runtime/clock.ts';
import { readOrCreate } from '../../runtime/disk/durable-file.ts';

const tokenLifeSeconds = 24 * 3600;

/**
 * The local issuer: whose tokens count here, and how to make one. `name` and `audience` are the `iss` and `aud` they
 * carry.
 */
export interface Issuer {
  readonly name: string;
  readonly audience: string;
  readonly keyId: string;
  readonly publicKey: KeyObject;
  /** Makes a token for one day that proves to be this account. */
  issueToken(accountId: string): Promise<string>;
}

/** Opens the issuer, and makes its key on the first start. */
export async function openIssuer(dataFolder: string, clock: Clock): Promise<Issuer> {
  const privateKey = await openKey(join(dataFolder, 'token-issuer.key'));
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

async function openKey(path: string): Promise<KeyObject> {
  const pem = await readOrCreate(path, newKey);
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // The error is thrown below.
  }
  throw refuse('damaged-file', {
    message: `${path} holds no Ed25519 key`,
    hint: 'put it back from a backup, or remove it: a new one is made, and tokens that were issued are no longer good',
  });
}

/** A key as PEM. */
function newKey(): string {
  return String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }));
}
