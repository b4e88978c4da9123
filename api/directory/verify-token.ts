/** Checks JWTs: algorithm bound to the key, issuer, audience, issue and expiry, 60 s of clock skew. */
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

/** A person whom the identity provider attests, with what it claims of them. */
export interface ProvedPerson {
  readonly accountId: undefined;
  readonly subject: string;
  readonly email: string;
  readonly name: string;
  readonly isMfaEnabled?: boolean | undefined;
}

/** The proof that a token gives: of a local account, or of a person whom the identity provider attests. */
export type VerifiedToken = { readonly accountId: string; readonly isMfaEnabled?: undefined } | ProvedPerson;

/** Why a token is of no use: its time is over, it was issued later than now, or it proves nothing. */
export type TokenProblem = 'expired' | 'early' | 'wrong';

export type TokenVerifier = (token: string) => Promise<VerifiedToken | TokenProblem>;

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
  const verifyLocal = async (token: string): Promise<VerifiedToken | TokenProblem> => {
    const { payload } = await jwtVerify(token, issuer.publicKey, {
      ...checksAt(clock),
      algorithms: ['EdDSA'],
      issuer: issuer.name,
      audience: issuer.audience,
    });
    if (isEarly(payload, clock)) return 'early';
    return isUsable(payload, clock) ? { accountId: payload.sub } : 'wrong';
  };
  return async (token) => {
    const keyId = keyIdOf(token);
    if (keyId === undefined) return 'wrong';
    try {
      if (keyId === issuer.keyId) return await verifyLocal(token);
      return provider === undefined ? 'wrong' : await verifyProvided(token, provider, clock);
    } catch (error) {
      if (error instanceof errors.JWTExpired) return 'expired';
      // Claims are looked at after the signature: it is a token of the issuer's, and its clock or this one is wrong.
      if (error instanceof errors.JWTClaimValidationFailed && isNotYet(error)) return 'early';
      if (error instanceof errors.JOSEError || error instanceof TypeError) return 'wrong';
      throw error;
    }
  };
}

const checksAt = (clock: Clock): { clockTolerance: number; currentDate: Date; requiredClaims: string[] } => ({
  clockTolerance: skewSeconds,
  currentDate: new Date(clock.now()),
  requiredClaims: ['exp', 'sub'],
});

/**
 * Verifies a token of an identity provider.
 * @throws jose's errors for one that its keys do not prove, Refusal `unavailable` when that cannot be known (C-32)
 */
export async function verifyProvided(
  token: string,
  by: IdentityProvider,
  clock: Clock,
): Promise<ProvedPerson | TokenProblem> {
  const { payload } = await jwtVerify(token, by.keys, {
    ...checksAt(clock),
    // No HS* algorithm is allowed: a public key must never serve as a shared secret (T-25).
    algorithms: ['EdDSA', 'ES256', 'ES384', 'ES512', 'RS256', 'RS384', 'RS512'],
    issuer: by.issuer,
    audience: by.audience,
  });
  if (isEarly(payload, clock)) return 'early';
  if (!isUsable(payload, clock)) return 'wrong';
  const email = addressOrNone(payload.email);
  return {
    accountId: undefined,
    subject: providedSubject(by.issuer, payload.sub),
    email,
    name: textOr(payload.name, email),
    isMfaEnabled: saysSeveralFactors(payload),
  };
}

/** Reads the key id that a token names; undefined for a text that is not a token. */
function keyIdOf(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).kid;
  } catch {
    return undefined;
  }
}

/** Finds a token that was issued later than now: it would outlive every judgement that compares the two times. */
function isEarly({ iat }: JWTPayload, clock: Clock): boolean {
  return typeof iat === 'number' && iat > clock.now() / 1000 + skewSeconds;
}

const isNotYet = ({ claim, reason }: errors.JWTClaimValidationFailed): boolean =>
  claim === 'nbf' && reason === 'check_failed';

/** Requires somebody, and an end of the token's life: a token for ever is a mistake or an attack. */
function isUsable(payload: JWTPayload, clock: Clock): payload is JWTPayload & { sub: string } {
  const { sub, exp, iat } = payload;
  const isIssued = iat === undefined || typeof iat === 'number';
  return typeof sub === 'string' && sub !== '' && Number(exp) <= clock.now() / 1000 + maxLifeSeconds && isIssued;
}

function textOr(value: unknown, fallback: string): string {
  return typeof value === 'string' && value !== '' ? value.slice(0, 320) : fallback;
}
