/**
 * The key of an adopted frame. Whoever knows a MAC address could ask for one, so that it is given only while somebody who
 * adopted the frame waits for it, and no more once the frame has used it.
 */
import type { Database, Transaction } from '../../runtime/database.ts';
import type { Moment } from '../../runtime/moment.ts';
import { allRows, changeRows, firstRow } from '../../runtime/plain-sql.ts';
import { type EventFacts, recordFrameEvent } from '../frames/event-log.ts';
import { type FrameRow, frameRegistry, passwordDigest, serialKey } from '../frames/registry.ts';

/** How long an adopted frame may come for its key: frames that wait ask every quarter of an hour. */
export const keyDueMs = 24 * 3_600_000;

/** The fewest characters of another server's key that is taken: a shorter one could be guessed. */
export const fewestCharacters = 16;

interface KeyRow {
  readonly serial: string;
  readonly due_until: number;
  readonly given_at: number | null;
  /** Digest of the key that another server gave the frame, which counts as its own from its adoption on. */
  readonly token_hash: string | null;
}

/**
 * Lets a frame come for its key, in the transaction that adopts it.
 * @param tokenHash digest of the key that the frame was seen with; it need not be reset then
 */
export function expectFrame(trx: Transaction, serial: string, tokenHash: string | null, now: number): Promise<void> {
  return changeRows(
    trx,
    `insert into frame_keys (serial, due_until, given_at, token_hash) values (?, ?, null, ?)
     on conflict (serial) do update set due_until = excluded.due_until, given_at = null, token_hash = excluded.token_hash`,
    [serialKey(serial), now + keyDueMs, tokenHash],
  );
}

/**
 * Gives a frame a key. Until it has used one it is given another each time it asks: the answer before may have been lost.
 * @returns undefined when no key is due
 */
export async function giveKey(
  trx: Transaction,
  serial: string,
  ownership: number,
  { now, random }: Moment,
): Promise<string | undefined> {
  const due = await firstRow<KeyRow>(trx, 'select * from frame_keys where serial = ?', [serialKey(serial)]);
  if (due === undefined || now > due.due_until) return undefined;
  const key = random.secret(24);
  await frameRegistry(trx).setPassword(serial, key, now, ownership);
  await changeRows(trx, 'update frame_keys set given_at = ? where serial = ?', [now, serialKey(serial)]);
  const payload: EventFacts = { stage: due.given_at === null ? 'key given' : 'key given again' };
  await recordFrameEvent(trx, random, { serial, type: 'activate', at: now, payload });
  return key;
}

/**
 * Takes the key of another server as the frame's own, where the frame was seen with it before it was adopted.
 * @returns true when it is the frame's key now
 */
export async function acceptKey(
  trx: Transaction,
  { serial, ownership }: Pick<FrameRow, 'serial' | 'ownership'>,
  token: string,
  now: number,
): Promise<boolean> {
  const due = await firstRow<KeyRow>(trx, 'select * from frame_keys where serial = ?', [serialKey(serial)]);
  const isLong = token.length >= fewestCharacters;
  if (due === undefined || now > due.due_until || due.token_hash === null || !isLong) return false;
  if (due.token_hash !== passwordDigest(token).toString('hex')) return false;
  await frameRegistry(trx).setPassword(serial, token, now, ownership);
  return true;
}

/** Ends the time in which a frame is given keys: it has used one. */
export function keyUsed(trx: Transaction, serial: string): Promise<void> {
  return changeRows(trx, 'delete from frame_keys where serial = ?', [serialKey(serial)]);
}

/** The serial of the one frame whose key this is; undefined where none has it, or several. */
export async function serialOfKey(db: Database, key: string): Promise<string | undefined> {
  const sql = 'select serial from frames where password_hash = ? limit 2';
  const found = await allRows<{ serial: string }>(db, sql, [passwordDigest(key).toString('hex')]);
  return found.length === 1 ? found[0]?.serial : undefined;
}
