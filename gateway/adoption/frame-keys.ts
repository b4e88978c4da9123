/**
 * The key of an adopted frame. Anyone who knows a MAC address could ask for one, so that it is given once for each adoption, to the
 * device that was seen then, and only while somebody who adopted it waits for it (T-109).
 */
import type { Database, Transaction } from '../../runtime/database/database.ts';
import { allRows, changeRows, firstRow } from '../../runtime/database/plain-sql.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import type { Moment } from '../../runtime/moment.ts';
import { type EventFacts, recordFrameEvent } from '../frames/event-log.ts';
import { type FrameRow, frameRegistry, passwordDigest, serialKey } from '../frames/registry.ts';
import type { adoptionTables } from './tables.ts';
import type { Asker } from './waiting-frames.ts';

/** How long an adopted frame may come for its key: frames that wait ask every quarter of an hour. */
export const keyDueMs = 24 * 3_600_000;

/** The fewest characters of another server's key that is taken: a shorter one could be guessed. */
export const fewestCharacters = 16;

/**
 * How long a key that was given is not given again although its answer was not seen to arrive: no frame waits as long for an
 * answer, and one that got none asks again after a quarter of an hour.
 */
const answerMs = 60_000;

type KeyRow = RowIn<typeof adoptionTables, 'frame_keys'>;

/**
 * Lets a frame come for its key, in the transaction that adopts it.
 * @param seen the device that was seen to ask: with the key of another server it need not be reset
 */
export function expectFrame(trx: Transaction, serial: string, seen: Asker, now: number): Promise<void> {
  return changeRows(
    trx,
    `insert into frame_keys (serial, due_until, given_at, taken_at, address, token_hash) values (?, ?, null, null, ?, ?)
     on conflict (serial) do update set due_until = excluded.due_until, given_at = null, taken_at = null,
       address = excluded.address, token_hash = excluded.token_hash`,
    [serialKey(serial), now + keyDueMs, seen.address, seen.token_hash],
  );
}

async function dueKey(trx: Transaction, serial: string, asking: Asker, now: number): Promise<KeyRow | undefined> {
  const due = await firstRow<KeyRow>(trx, 'select * from frame_keys where serial = ?', [serialKey(serial)]);
  if (due === undefined || now > due.due_until || due.taken_at !== null) return undefined;
  // T-109: no other device that uses this address gets anything.
  return due.address === null || due.address === asking.address ? due : undefined;
}

/**
 * Gives a frame its key: one for each adoption, to the device that was seen when it was adopted. When its answer was not seen
 * to arrive it is given another one the next time.
 * @returns undefined when no key is due to the one that asks
 */
export async function giveKey(
  trx: Transaction,
  { serial, ownership }: Pick<FrameRow, 'serial' | 'ownership'>,
  asking: Asker,
  { now, random }: Moment,
): Promise<string | undefined> {
  const due = await dueKey(trx, serial, asking, now);
  if (due === undefined || due.token_hash !== null) return undefined;
  if (due.given_at !== null && Math.abs(now - due.given_at) < answerMs) return undefined;
  const key = random.secret(24);
  await frameRegistry(trx).setPassword(serial, key, now, ownership);
  await changeRows(trx, 'update frame_keys set given_at = ? where serial = ?', [now, serialKey(serial)]);
  const payload: EventFacts = { stage: due.given_at === null ? 'key given' : 'key given again' };
  await recordFrameEvent(trx, random, { serial, type: 'activate', at: now, payload });
  return key;
}

/**
 * Notes that the answer with a key arrived: no further one is given. An older answer proves nothing about a newer key.
 */
export function keyArrived(db: Database, serial: string, givenAt: number, now: number): Promise<void> {
  const sql = 'update frame_keys set taken_at = ? where serial = ? and given_at = ?';
  return changeRows(db, sql, [now, serialKey(serial), givenAt]);
}

/**
 * Takes the key of another server as the frame's own, where the device was seen with it when it was adopted.
 * @returns true when it is the frame's key now
 */
export async function acceptKey(
  trx: Transaction,
  { serial, ownership }: Pick<FrameRow, 'serial' | 'ownership'>,
  token: string,
  { asking, now }: { readonly asking: Asker; readonly now: number },
): Promise<boolean> {
  const due = await dueKey(trx, serial, asking, now);
  if (due === undefined || due.token_hash === null || token.length < fewestCharacters) return false;
  if (due.token_hash !== asking.token_hash) return false;
  await frameRegistry(trx).setPassword(serial, token, now, ownership);
  await changeRows(trx, 'update frame_keys set given_at = ? where serial = ?', [now, serialKey(serial)]);
  return true;
}

/**
 * Ends the time in which a frame is given its key, because it has used it. The use of an earlier key proves nothing.
 */
export function keyUsed(trx: Transaction, serial: string): Promise<void> {
  return changeRows(trx, 'delete from frame_keys where serial = ? and given_at is not null', [serialKey(serial)]);
}

/** Returns whether a frame with an owner has a key: a caller that shows another key is not this frame. */
export function isKeyed({ activation, password_hash }: Pick<FrameRow, 'activation' | 'password_hash'>): boolean {
  return activation === 'activated' && password_hash !== null;
}

/** The serial of the one frame whose key this is; undefined where none has it, or several. */
export async function serialOfKey(db: Database, key: string): Promise<string | undefined> {
  const sql = 'select serial from frames where password_hash = ? limit 2';
  const found = await allRows<{ serial: string }>(db, sql, [passwordDigest(key).toString('hex')]);
  return found.length === 1 ? found[0]?.serial : undefined;
}
