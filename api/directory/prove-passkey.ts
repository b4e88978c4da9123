/** Signing in with a passkey: a device's signature is checked against its stored key (T-101, T-102). */
import type { AuthenticationResponseJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import type { Database } from '../../runtime/database/database.ts';
import { transact } from '../../runtime/database/database.ts';
import { challengeLifetimeMs, makeChallenge, spendChallenge } from './passkey-challenges.ts';
import type { PasskeyDeps, PasskeyRow } from './passkeys.ts';
import type { RelyingParty } from './relying-party.ts';

/** Why a passkey signs nobody in. `copied` blocks it; `row` is there where the device itself was proved. */
export type PasskeyProblem =
  | { readonly problem: 'unknown' | 'not-proved' }
  | { readonly problem: 'copied' | 'blocked'; readonly row: PasskeyRow };

/** Returns what a browser asks the person's device for. No name is typed: the device knows whose passkeys it has. */
export async function requestOptions(
  deps: PasskeyDeps,
  { id: rpID }: RelyingParty,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server');
  const challenge = await makeChallenge(deps, { rpId: rpID, accountId: null });
  return generateAuthenticationOptions({
    rpID,
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    timeout: challengeLifetimeMs,
    userVerification: 'required',
  });
}

/** Finds whose passkey signed, and writes its use down. */
export async function provePasskey(
  deps: PasskeyDeps,
  party: RelyingParty,
  response: AuthenticationResponseJSON,
): Promise<{ readonly row: PasskeyRow } | PasskeyProblem> {
  const { db, clock } = deps;
  const row = await db<PasskeyRow>('passkeys').where({ credential_id: response.id, rp_id: party.id }).first();
  if (row === undefined) return { problem: 'unknown' };
  const counter = await signedCounter(deps, party, row, response);
  if (counter === undefined) return { problem: 'not-proved' };
  if (row.blocked_at !== null) return { problem: 'blocked', row };
  if (await noteUse(db, row, counter, clock.now())) return { row };
  await blockPasskey(db, row, clock.now());
  return { problem: 'copied', row };
}

/** Returns the counter that the device signed; undefined where the answer is not its own, for us, and of now. */
async function signedCounter(
  { db, clock }: PasskeyDeps,
  { id: rpId, origins }: RelyingParty,
  row: PasskeyRow,
  response: AuthenticationResponseJSON,
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const { userHandle } = response.response;
  if (userHandle !== undefined && Buffer.from(userHandle, 'base64url').toString() !== row.account_id) return undefined;
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: (challenge) => spendChallenge(db, challenge, { rpId, accountId: null }, clock.now()),
      expectedOrigin: [...origins],
      expectedRPID: rpId,
      requireUserVerification: true,
      credential: {
        id: row.credential_id,
        publicKey: new Uint8Array(Buffer.from(row.public_key, 'base64url')),
        // The library looks at the counter before the signature: anybody could have a passkey blocked whose id they know.
        counter: 0,
      },
    });
    return verified ? authenticationInfo.newCounter : undefined;
  } catch {
    // A browser may send anything, and the library throws at whatever it cannot accept.
    return undefined;
  }
}

/**
 * Records a use if the counter advanced; false where it did not, as with a copy. Devices without a counter report 0.
 */
async function noteUse(db: Database, { id }: PasskeyRow, counter: number, now: number): Promise<boolean> {
  const noted = await db<PasskeyRow>('passkeys')
    .where({ id, blocked_at: null })
    .where((went) => went.where('counter', '<', counter).orWhere({ counter: 0 }))
    .update({ counter, used_at: now });
  return noted === 1;
}

/**
 * Blocks a passkey that may have been copied, and ends the sessions that began with it: nobody knows which are the
 * copy's.
 */
async function blockPasskey(db: Database, { id }: PasskeyRow, now: number): Promise<void> {
  await transact(db, async (trx) => {
    await trx<PasskeyRow>('passkeys').where({ id, blocked_at: null }).update({ blocked_at: now });
    await trx('sessions').where({ passkey_id: id }).delete();
  });
}
