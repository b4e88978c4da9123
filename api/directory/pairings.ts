/**
 * Pairings: a browser that is signed in shows a code, another one of the same person opens it and shows a number, and
 * once the first one has chosen that number the other one is signed in (T-106). Photographing the code gains nothing.
 */

import { reasonOf } from '../../reasons/reason.ts';
import { type Refusal, refuse } from '../../reasons/refusals.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { Database, Transaction } from '../../runtime/database/database.ts';
import { newRow, type RowIn } from '../../runtime/database/table.ts';
import type { Random } from '../../runtime/random.ts';
import { tokenHash } from '../../runtime/sealed.ts';
import type { SessionOwner, SessionRow } from './sessions.ts';
import { directoryTables } from './tables.ts';

/** How far a pairing is: its code is shown, it was opened elsewhere, its number was chosen, the other browser is in, or it is over. */
export const pairingStates = ['open', 'scanned', 'confirmed', 'done', 'refused'] as const;
export type PairingState = (typeof pairingStates)[number];

/** A row of `pairings`. */
export type PairingRow = RowIn<typeof directoryTables, 'pairings', { state: PairingState }>;

type PairingDeps = Pick<CommonDeps, 'db' | 'clock' | 'random'>;

/** The time from one step to the next. */
const stepMs = 2 * 60_000;
const howManyChoices = 3;

/** Begins a pairing from a session. The one that it began before is over. */
export async function beginPairing(
  { db, clock, random }: PairingDeps,
  sessionId: string,
): Promise<{ readonly code: string; readonly row: PairingRow }> {
  const [code, now] = [random.secret(32), clock.now()];
  const row: PairingRow = newRow(directoryTables, 'pairings', {
    id: random.id(),
    session_id: sessionId,
    code_hash: tokenHash(code),
    state: 'open',
    ends_at: now + stepMs,
  });
  await db<PairingRow>('pairings').where({ session_id: sessionId }).orWhere('ends_at', '<=', now).delete();
  await db<PairingRow>('pairings').insert(row);
  return { code, row };
}

/** Finds the pairing of a session; one that is late is over. */
export async function pairingOf(
  { db, clock }: PairingDeps,
  sessionId: string,
  id: string,
): Promise<PairingRow | undefined> {
  const row = await db<PairingRow>('pairings').where({ id, session_id: sessionId }).first();
  if (row === undefined) return undefined;
  return row.ends_at <= clock.now() && row.state !== 'done' ? { ...row, state: 'refused' } : row;
}

/**
 * Opens a code, once, and makes the number that both browsers show.
 * @returns the ticket that the other browser comes back with, which is kept nowhere
 * @throws Refusal `not-authenticated` for a code that was opened before, is over, or never was
 */
export async function scanCode(
  { db, clock, random }: PairingDeps,
  code: string,
  browser: string | undefined,
): Promise<{ readonly ticket: string; readonly number: number; readonly endsAt: number }> {
  const [ticket, now] = [random.secret(32), clock.now()];
  const choices = drawNumbers(random);
  const number = choices[Math.floor(random.jitter() * choices.length)] ?? 0;
  const code_hash = tokenHash(code);
  const scanned = await db<PairingRow>('pairings')
    .where({ code_hash, state: 'open' })
    .where('ends_at', '>', now)
    .update({
      state: 'scanned',
      ticket_hash: tokenHash(ticket),
      number,
      choices: JSON.stringify(choices),
      browser: browser?.slice(0, 200) ?? null,
      ends_at: now + stepMs,
    });
  if (scanned === 1) return { ticket, number, endsAt: now + stepMs };
  const known = await db<PairingRow>('pairings').where({ code_hash }).first();
  throw refusedPairing(known !== undefined && known.state !== 'open' ? 'pairing-taken' : 'pairing-ended');
}

/** Draws different numbers of two digits. */
function drawNumbers(random: Random): number[] {
  const drawn = new Set<number>();
  while (drawn.size < howManyChoices) drawn.add(10 + Math.floor(random.jitter() * 90));
  return [...drawn];
}

/** Takes the number that the first browser chose. A wrong one ends the pairing: nobody guesses twice. */
export async function chooseNumber(
  { db, clock }: PairingDeps,
  sessionId: string,
  { id, number }: { readonly id: string; readonly number: number },
): Promise<boolean> {
  const waiting = () =>
    db<PairingRow>('pairings')
      .where({ id, session_id: sessionId, state: 'scanned' })
      .where('ends_at', '>', clock.now());
  if ((await waiting().where({ number }).update({ state: 'confirmed' })) === 1) return true;
  await waiting().update({ state: 'refused' });
  return false;
}

/** Ends a pairing of a session before it is done; returns whether there was one. */
export async function endPairing(db: Database, sessionId: string, id: string): Promise<boolean> {
  const ended = await db<PairingRow>('pairings')
    .where({ id, session_id: sessionId })
    .whereNot({ state: 'done' })
    .update({ state: 'refused' });
  return ended === 1;
}

/**
 * Answers the other browser how far its pairing is.
 * @throws Refusal `not-authenticated` when it is over
 */
export async function pairingOfTicket({ db, clock }: PairingDeps, ticket: string): Promise<PairingRow> {
  const row = await db<PairingRow>('pairings')
    .where({ ticket_hash: tokenHash(ticket) })
    .first();
  const isAlive =
    row !== undefined && row.ends_at > clock.now() && (row.state === 'scanned' || row.state === 'confirmed');
  if (!isAlive) throw refusedPairing('pairing-ended');
  return row;
}

/**
 * Uses a confirmed pairing up, in the transaction that begins the session. The new session opens what the confirming
 * one opens, and ends whenever that one would.
 * @throws Refusal `not-authenticated` for the second one to try, and when the first session has ended
 */
export async function usePairing(trx: Transaction, row: PairingRow): Promise<Omit<SessionOwner, 'browser' | 'stays'>> {
  const used = await trx<PairingRow>('pairings').where({ id: row.id, state: 'confirmed' }).update({ state: 'done' });
  const session = await trx<SessionRow>('sessions').where({ id: row.session_id }).first();
  if (used !== 1 || session === undefined) throw refusedPairing('pairing-ended');
  return {
    accountId: session.account_id,
    way: 'pairing',
    keyId: session.key_id ?? undefined,
    passkeyId: session.passkey_id ?? undefined,
    onlyIn: session.organization_id ?? undefined,
  };
}

const refusedPairing = (problem: 'pairing-taken' | 'pairing-ended'): Refusal =>
  refuse('not-authenticated', { message: reasonOf(problem), hint: reasonOf('pairing-anew') });
