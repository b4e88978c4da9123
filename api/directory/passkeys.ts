/** Passkeys (WebAuthn): credentials of a person's devices, each for one name of the service, made and listed. */

import type { PublicKeyCredentialCreationOptionsJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { type Database, isUniqueViolation, transact } from '../../runtime/database/database.ts';
import { newRow, type RowIn } from '../../runtime/database/table.ts';
import type { Principal } from '../access/principal.ts';
import { visiblePart } from './narrow-credential.ts';
import { challengeLifetimeMs, makeChallenge, spendChallenge } from './passkey-challenges.ts';
import type { RelyingParty } from './relying-party.ts';
import type { SessionRow } from './sessions.ts';
import { directoryStore } from './store.ts';
import { directoryTables } from './tables.ts';

/** A row of `passkeys`. */
export type PasskeyRow = RowIn<typeof directoryTables, 'passkeys'>;

export type PasskeyDeps = Pick<CommonDeps, 'db' | 'clock' | 'random'>;

/** The most passkeys of an account. */
const maxPasskeys = 20;

/** The passkeys that a caller may know of, the oldest first. */
export function passkeysFor(db: Database, caller: Principal): Promise<PasskeyRow[]> {
  return db<PasskeyRow>('passkeys')
    .where({ account_id: caller.accountId })
    .where(visiblePart(caller, 'passkeys'))
    .orderBy(['created_at', 'id']);
}

/** Returns what a browser asks the person's device for. The device checks who it is, since the passkey alone signs in. */
export async function creationOptions(
  deps: PasskeyDeps,
  caller: Principal,
  { id: rpID }: RelyingParty,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await import('@simplewebauthn/server');
  const account = await directoryStore(deps.db).account(caller.accountId);
  if (account === undefined) throw refuse('not-authenticated');
  const known: PasskeyRow[] = await deps.db('passkeys').where({ account_id: account.id, rp_id: rpID });
  const challenge = await makeChallenge(deps, { rpId: rpID, accountId: account.id });
  const name = caller.memberships[0]?.name || account.first_name || account.email;
  return generateRegistrationOptions({
    rpName: 'Papergate',
    rpID,
    userName: account.email || name,
    userDisplayName: name,
    userID: new TextEncoder().encode(account.id),
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    timeout: challengeLifetimeMs,
    excludeCredentials: known.map((row) => ({ id: row.credential_id, transports: JSON.parse(row.transports) })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
}

/** A passkey that a device just made. */
export interface NewPasskey {
  readonly name: string;
  readonly response: RegistrationResponseJSON;
}

/**
 * Keeps a passkey. It opens what the session opens that made it.
 * @throws Refusal `invalid-request` for an answer that proves nothing, `conflict` for one too many, or one that is kept
 */
export async function addPasskey(
  deps: PasskeyDeps,
  session: SessionRow,
  { id: rpId, origins }: RelyingParty,
  { name, response }: NewPasskey,
): Promise<PasskeyRow> {
  const made = await registered(deps, session.account_id, { rpId, origins, response });
  if (made === undefined) throw refuse('invalid-request', { hint: reasonOf('passkey-not-taken') });
  const row: PasskeyRow = newRow(directoryTables, 'passkeys', {
    id: deps.random.id(),
    account_id: session.account_id,
    organization_id: session.organization_id,
    key_id: session.key_id,
    credential_id: made.id,
    rp_id: rpId,
    public_key: Buffer.from(made.publicKey).toString('base64url'),
    counter: made.counter,
    transports: JSON.stringify(made.transports ?? []),
    name,
    created_at: deps.clock.now(),
  });
  try {
    await transact(deps.db, async (trx) => {
      await directoryStore(trx).lockAccount(row.account_id);
      // The session may have ended while the person looked at their device.
      if ((await trx('sessions').where({ id: session.id }).first('id')) === undefined)
        throw refuse('not-authenticated');
      const all: PasskeyRow[] = await trx('passkeys').where({ account_id: row.account_id }).select('id');
      if (all.length >= maxPasskeys)
        throw refuse('conflict', { message: reasonOf('many-passkeys', { most: maxPasskeys }) });
      await trx<PasskeyRow>('passkeys').insert(row);
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw refuse('conflict', { message: reasonOf('passkey-not-taken') });
    throw error;
  }
  return row;
}

/** Returns what the device made; undefined where its answer does not prove that it is for us, now, and for this account. */
async function registered(
  { db, clock }: PasskeyDeps,
  accountId: string,
  { rpId, origins, response }: { rpId: string; origins: readonly string[]; response: RegistrationResponseJSON },
) {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  try {
    const { registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: (challenge) => spendChallenge(db, challenge, { rpId, accountId }, clock.now()),
      expectedOrigin: [...origins],
      expectedRPID: rpId,
      requireUserVerification: true,
    });
    return registrationInfo?.credential;
  } catch {
    // A browser may send anything, and the library throws at whatever it cannot accept.
    return undefined;
  }
}

/** Names a passkey that the caller may know of; false when there is none. */
export async function renamePasskey(db: Database, caller: Principal, id: string, name: string): Promise<boolean> {
  const own = db<PasskeyRow>('passkeys').where({ id, account_id: caller.accountId });
  return (await own.where(visiblePart(caller, 'passkeys')).update({ name })) > 0;
}

/** Removes a passkey that the caller may know of, and ends the sessions that began with it, but for the caller's own. */
export function removePasskey(db: Database, caller: Principal, id: string): Promise<boolean> {
  return transact(db, async (trx) => {
    if (caller.sessionId !== undefined) {
      await trx<SessionRow>('sessions').where({ id: caller.sessionId, passkey_id: id }).update({ passkey_id: null });
    }
    const own = trx<PasskeyRow>('passkeys').where({ id, account_id: caller.accountId });
    return (await own.where(visiblePart(caller, 'passkeys')).delete()) > 0;
  });
}
