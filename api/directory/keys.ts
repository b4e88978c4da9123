/** API keys: 32 random bytes shown once, of which only the hash is kept (C-38, T-22). */
import { hash as hashOf, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../gateway/runtime/clock.ts';
import type { Database } from '../../gateway/runtime/database.ts';
import { allRows } from '../../gateway/runtime/plain-sql.ts';
import type { Random } from '../../gateway/runtime/random.ts';
import type { Principal } from './principal.ts';
import { asMembership, type MembershipColumns, membershipColumns } from './store.ts';

/** A key as its owner sees it afterwards. Times are epoch milliseconds. */
export interface KeyRow {
  id: string;
  user_id: string;
  hash: string;
  name: string;
  created_at: number;
}

/** A key at its birth: `raw`, 64 hex characters, is told here and never again. */
export interface CreatedKey {
  readonly id: string;
  readonly name: string;
  readonly raw: string;
  readonly createdAt: number;
}

/** Makes a key that acts as the account of this user. */
export async function createKey(
  db: Database,
  edges: { readonly clock: Clock; readonly random: Random },
  owner: { readonly userId: string; readonly name: string },
): Promise<CreatedKey> {
  const raw = Buffer.from(edges.random.secret(32), 'base64url').toString('hex');
  const key = { id: edges.random.id(), name: owner.name, createdAt: edges.clock.now() };
  await db<KeyRow>('api_keys').insert({
    id: key.id,
    user_id: owner.userId,
    hash: digest(raw),
    name: key.name,
    created_at: key.createdAt,
  });
  return { ...key, raw };
}

// A statement is remembered by its text, which is put together once.
const keyOwner = `select api_keys.id as key_id, api_keys.hash, owner.account_id, ${membershipColumns} from api_keys
  join users as owner on owner.id = api_keys.user_id join users on users.account_id = owner.account_id
  where api_keys.hash = ? order by users.created_at, users.id`;

/**
 * The account that a key speaks for, with its memberships of this moment. A text that is no key is not looked up. One
 * statement, because every call of every person's program asks it.
 */
export async function findKeyOwner(
  db: Database,
  raw: string,
): Promise<{ readonly keyId: string; readonly principal: Principal } | undefined> {
  if (!/^[0-9a-f]{64}$/.test(raw)) return undefined;
  const hash = digest(raw);
  const rows = await allRows<MembershipColumns & { key_id: string; hash: string; account_id: string }>(db, keyOwner, [
    hash,
  ]);
  const [first] = rows;
  // T-14: found by its hash, believed by a comparison in constant time.
  if (first === undefined || !timingSafeEqual(Buffer.from(first.hash), Buffer.from(hash))) return undefined;
  return { keyId: first.key_id, principal: { accountId: first.account_id, memberships: rows.map(asMembership) } };
}

/** Keys of one account, oldest first; with an id, that one key if it is the account's. */
export function keysOf(db: Database, accountId: string, keyId?: string): Promise<KeyRow[]> {
  const query = db('api_keys')
    .join('users', 'users.id', 'api_keys.user_id')
    .where({ 'users.account_id': accountId })
    .orderBy(['api_keys.created_at', 'api_keys.id']);
  if (keyId !== undefined) query.where({ 'api_keys.id': keyId });
  return query.select('api_keys.*');
}

/** Ends a key: its very next use fails. */
export function deleteKey(db: Database, keyId: string): Promise<number> {
  return db('api_keys').where({ id: keyId }).delete();
}

/** The key is 256 random bits, so one round of SHA-256 keeps it. Hex, as it is stored. */
function digest(raw: string): string {
  return hashOf('sha256', raw, 'hex');
}
