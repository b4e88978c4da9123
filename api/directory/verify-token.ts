/** Checks JWTs: algorithm bound to the key, issuer, audience and expiry, 60 s of clock skew. */
import { decodeProtectedHeader, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import type { Clock } from '../../runtime/clock.ts';
import { addressOrNone } from './address.ts';
import type { Issuer } from './issuer.ts';
import { saysSeveralFactors } from './several-factors.ts';
import { providedSubject } from './store.ts';

const skewSeconds = 60;
const maxLifeSeconds = 366 * 24 * 3600;

/** An identity provider outside: the issuer to accept, and its keys (see `provider-keys.ts`). */
export interface IdentityProvider {
  readonly issuer: string;
  readonly audience: string;
  readonly keys: JWTVerifyGetKey;
}

/** The proof that a token gives: of a local account, or of a subject of the identity provider with its claims. */
export type VerifiedToken = { readonly isMfaEnabled?: boolean | undefined } & (
  | { readonly accountId: string }
  | { readonly accountId: undefined; readonly subject: string; readonly email: string; readonly name: string }
);

export type TokenVerifier = (token: string) => Promise<VerifiedToken | 'expired' | 'wrong'>;

/**
 * Makes a verifier for tokens of the local issuer, and of an identity provider if there is one. The key id chooses
 * between them; keys and addresses that a token brings along are never looked at (T-26).
 */
export function tokenVerifier(deps: {
  readonly issuer: Issuer;
  readonly provider?: IdentityProvider;
  readonly clock: Clock;
}): TokenVerifier {
  const { issuer, provider, clock } = deps;
  const checks = (): { clockTolerance: number; currentDate: Date; requiredClaims: string[] } => ({
    clockTolerance: skewSeconds,
    currentDate: new Date(clock.now()),
    requiredClaims: ['exp', 'sub'],
  });
  const verifyLocal = async (token: string): Promise<VerifiedToken | 'wrong'> => {
    const { payload } = await jwtVerify(token, issuer.publicKey, {
      ...checks(),
      algorithms: ['EdDSA'],
      issuer: issuer.name,
      audience: issuer.audience,
    });
    return endsSoon(payload, clock) ? { accountId: payload.sub } : 'wrong';
  };
  const verifyProvided = async (token: string, by: IdentityProvider): Promise<VerifiedToken | 'wrong'> => {
    const { payload } = await jwtVerify(token, by.keys, {
      ...checks(),
      // No HS* algorithm is allowed: a public key must never serve as a shared secret (T-25).
      algorithms: ['EdDSA', 'ES256', 'ES384', 'ES512', 'RS256', 'RS384', 'RS512'],
      issuer: by.issuer,
      audience: by.audience,
    });
    if (!endsSoon(payload, clock)) return 'wrong';
    const email = addressOrNone(payload.email);
    return {
      accountId: undefined,
      subject: providedSubject(by.issuer, payload.sub),
      email,
      name: textOr(payload.name, email),
      isMfaEnabled: saysSeveralFactors(payload),
    };
  };
  return async (token) => {
    const keyId = keyIdOf(token);
    if (keyId === undefined) return 'wrong';
    try {
      if (keyId === issuer.keyId) return await verifyLocal(token);
      return provider === undefined ? 'wrong' : await verifyProvided(token, provider);
    } catch (error) {
      if (error instanceof errors.JWTExpired) return 'expired';
      if (error instanceof errors.JOSEError || error instanceof TypeError) return 'wrong';
      throw error;
    }
  };
}

/** Reads the key id that a token names; undefined for a text that is no token. */
function keyIdOf(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).kid;
  } catch {
    return undefined;
  }
}

/** Requires an end of the token's life: a token for ever is a mistake or an attack. */
function endsSoon(payload: JWTPayload, clock: Clock): payload is JWTPayload & { sub: string } {
  const latest = clock.now() / 1000 + maxLifeSeconds;
  return typeof payload.sub === 'string' && payload.sub !== '' && Number(payload.exp) <= latest;
}

function textOr(value: unknown, fallback: string): string {
  return typeof value === 'string' && value !== '' ? value.slice(0, 320) : fallback;
}
