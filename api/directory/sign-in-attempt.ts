/**
 * The state of a sign-in with the identity provider. It stands sealed in a cookie of the browser that began, so that nobody
 * else can end it, and each tab has its own.
 */
import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { Database } from '../../runtime/database/database.ts';
import { open, seal } from '../../runtime/sealed.ts';
import type { RequestOrigin } from '../http/request-origin.ts';
import { cookieValue } from './session-cookie.ts';

const attemptShape = z.object({
  state: z.string(),
  nonce: z.string(),
  /** The verifier of PKCE. */
  verifier: z.string(),
  redirectUri: z.string(),
  /** Whether the person wants to stay signed in. Absent in an attempt that the previous release began. */
  stays: z.boolean().default(false),
  endsAt: z.number(),
});

export type SignInAttempt = z.output<typeof attemptShape>;

/** The time that a person may take at the provider. */
const attemptLifetimeMs = 10 * 60_000;
const place = 'sign-in attempt';

interface SignInAttemptDeps extends Pick<CommonDeps, 'clock' | 'random'> {
  readonly sealKey: Uint8Array;
}

/** Begins an attempt, with its `Set-Cookie`. The provider sends the person back to `redirectUri`. */
export function beginAttempt(
  { clock, random, sealKey }: SignInAttemptDeps,
  origin: RequestOrigin,
  stays: boolean,
): { readonly attempt: SignInAttempt; readonly cookie: string } {
  const attempt = {
    state: random.secret(32),
    nonce: random.secret(32),
    verifier: random.secret(32),
    redirectUri: `${origin.origin}${origin.prefix}/sessions/provider/return`,
    stays,
    endsAt: clock.now() + attemptLifetimeMs,
  };
  const value = seal(JSON.stringify(attempt), place, sealKey, random);
  return { attempt, cookie: attemptCookie(attempt.state, value, attemptLifetimeMs / 1000, origin) };
}

/** Returns the attempt of a state that this browser began; undefined for none, or one that took too long. */
export function attemptOf(
  headers: IncomingHttpHeaders,
  state: string,
  { clock, sealKey }: Pick<SignInAttemptDeps, 'clock' | 'sealKey'>,
): SignInAttempt | undefined {
  const value = cookieValue(headers, cookieName(state));
  if (value === undefined) return undefined;
  try {
    const attempt = attemptShape.parse(JSON.parse(open(value, place, sealKey)));
    return attempt.state === state && attempt.endsAt > clock.now() ? attempt : undefined;
  } catch {
    // A cookie is what a browser sends: anything.
    return undefined;
  }
}

/**
 * Spends an attempt, whatever comes of it: true for the first who does, on whichever node. Without it, the address to
 * which the provider led a person back would sign in anyone who opens it again with the same cookie.
 */
export async function spendAttempt(db: Database, { state, endsAt }: SignInAttempt, now: number): Promise<boolean> {
  await db('returned_sign_ins').where('ends_at', '<=', now).delete();
  const row = { state_hash: hash('sha256', state), ends_at: endsAt };
  const added = await db('returned_sign_ins').insert(row).onConflict('state_hash').ignore().returning('state_hash');
  return added.length === 1;
}

/** Returns the `Set-Cookie` that ends an attempt. */
export function endAttempt(state: string, origin: RequestOrigin): string {
  return attemptCookie(state, '', 0, origin);
}

/** The provider's page leads back here, so `Strict` would keep the cookie away. */
function attemptCookie(
  state: string,
  value: string,
  maxAgeSeconds: number,
  { isHttps, prefix }: RequestOrigin,
): string {
  const attributes = [`Path=${prefix}/sessions/provider`, `Max-Age=${maxAgeSeconds}`, 'HttpOnly', 'SameSite=Lax'];
  return [`${cookieName(state)}=${value}`, ...attributes, ...(isHttps ? ['Secure'] : [])].join('; ');
}

const cookieName = (state: string): string => `papergate_sign_in_${state.replace(/[^\w-]/g, '').slice(0, 16)}`;
