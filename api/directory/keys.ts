/** API keys: 32 random bytes shown once, of which only the hash is stored. */

import { hash as hashOf, timingSafeEqual } from 'node:crypto';
import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Database, Transaction } from '../../runtime/database/database.ts';
import { allRows } from '../../runtime/database/plain-sql.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import type { Random } from '../../runtime/random.ts';
import type { Principal } from '../access/principal.ts';
import { openedBy, visiblePart } from './narrow-credential.ts';
import { asMembership, type MembershipColumns, membershipColumns } from './store.ts';
import type { directoryTables } from './tables.ts';

/** A key as its owner sees it afterwards. Times are epoch milliseconds. */
export type KeyRow = RowIn<typeof directoryTables, 'api_keys'>;

/** A key that was just made. `raw`, 64 hex characters, is returned here and never again. */
export interface CreatedKey {
  readonly id: string;
  readonly name: string;
  readonly raw: string;
  readonly createdAt: number;
}

/** Makes a key that acts as the account of this user. */
export async function createKey(
  db: Database,
  deps: { readonly clock: Clock; readonly random: Random },
  owner: { readonly userId: string; readonly name: string; readonly onlyIn?: string | undefined },
): Promise<CreatedKey> {
  const raw = Buffer.from(deps.random.secret(32), 'base64url').toString('hex');
  const key = { id: deps.random.id(), name: owner.name, createdAt: deps.clock.now() };
  await db<KeyRow>('api_keys').insert({
    id: key.id,
    user_id: owner.userId,
    hash: digest(raw),
    name: key.name,
    organization_id: owner.onlyIn ?? null,
    created_at: key.createdAt,
  });
  return { ...key, raw };
}

/** The number of keys that an account may have; existing ones beyond it stay. */
const maxKeys = 100;

/**
 * Refuses a further key. The transaction must have locked the account.
 * @throws Refusal `conflict` when the account has as many as it may
 */
export async function refuseMoreKeys(trx: Transaction, accountId: string): Promise<void> {
  if ((await keyQuery(trx, accountId).select('api_keys.id')).length < maxKeys) return;
  throw refuse('conflict', {
    message: reasonOf('many-keys', { most: maxKeys }),
    hint: 'end one that is no longer used: DELETE /tokens/ID',
  });
}

export interface KeyOwner extends Principal {
  readonly keyId: string;
}

// The statement is prepared by its text, which is therefore put together once.
const keyOwner = `select api_keys.hash, api_keys.id as key_id, api_keys.organization_id as only_in,
  owner.account_id, ${membershipColumns} from api_keys
  join users as owner on owner.id = api_keys.user_id join users on users.account_id = owner.account_id
  where api_keys.hash = ? order by users.created_at, users.id`;

interface KeyColumns {
  readonly hash: string;
  readonly key_id: string;
  readonly account_id: string;
  readonly only_in: string | null;
}

/**
 * Finds the account of a key, with its memberships of this moment. A text that is not a key is not looked up. The query is
 * one statement, because every call of every person's program makes it.
 */
export async function findKeyOwner(db: Database, raw: string): Promise<KeyOwner | undefined> {
  if (!/^[0-9a-f]{64}$/.test(raw)) return undefined;
  const hash = digest(raw);
  const rows = await allRows<MembershipColumns & KeyColumns>(db, keyOwner, [hash]);
  const [first] = rows;
  // The key is found by its hash, and accepted by a comparison in constant time (T-14).
  if (first === undefined || !timingSafeEqual(Buffer.from(first.hash), Buffer.from(hash))) return undefined;
  return { accountId: first.account_id, keyId: first.key_id, ...openedBy(rows.map(asMembership), first.only_in) };
}

/** Reads the keys that a caller may know of, oldest first; with an id, that one key if it is one of them. */
export function keysFor(db: Database, principal: Principal, keyId?: string): Promise<KeyRow[]> {
  const query = keyQuery(db, principal.accountId).where(visiblePart(principal, 'api_keys'));
  if (keyId !== undefined) query.where('api_keys.id', keyId);
  return query.select('api_keys.*');
}

function keyQuery(db: Database, accountId: string) {
  return db('api_keys')
    .join('users', 'users.id', 'api_keys.user_id')
    .where('users.account_id', accountId)
    .orderBy(['api_keys.created_at', 'api_keys.id']);
}

/** Deletes a key: its very next use fails. */
export function deleteKey(db: Database, keyId: string): Promise<number> {
  return db('api_keys').where({ id: keyId }).delete();
}

/** Hashes a key as it is stored, in hex. A key is 256 random bits, so one round of SHA-256 suffices. */
function digest(raw: string): string {
  return hashOf('sha256', raw, 'hex');
}
