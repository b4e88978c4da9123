/** Connections: how a token is checked, and how a connection ends. */

import type { Knex } from 'knex';
import { refuse } from '../../reasons/refusals.ts';
import type { Database, Transaction } from '../../runtime/database/database.ts';
import { firstRow } from '../../runtime/database/plain-sql.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import { isId, type Random } from '../../runtime/random.ts';
import { isSameHash, open, seal, tokenHash } from '../../runtime/sealed.ts';
import { transactOnPaper } from '../papers/lock-paper.ts';
import { stopWork } from './stop-work.ts';
import type { integrationTables } from './tables.ts';

/** A row of `connections`. */
export type ConnectionRow = RowIn<typeof integrationTables, 'connections'>;

const noId = '0'.repeat(24);
const noHash = tokenHash('');

/** Returns the text when it is an id, else an id that no connection has: both take the same look-up. */
export const idOrNone = (id: string): string => (isId(id) ? id : noId);

/**
 * Returns whether an `Authorization` header holds the content token of an unrevoked connection. Unknown connections,
 * wrong tokens, other schemes and revoked connections take the same steps (INV-65).
 */
export function holdsToken(row: ConnectionRow | undefined, authorization: string | undefined): boolean {
  const token = /^Bearer ([A-Za-z0-9_-]{1,200})$/i.exec(authorization ?? '')?.[1] ?? '';
  const isRight = isSameHash(tokenHash(token), row?.token_hash ?? noHash);
  return isRight && row?.revoked_at === null;
}

/**
 * Finds the connection whose content token stands in an `Authorization` header.
 * @throws Refusal `connection-unauthorized`
 */
export async function authenticateConnection(
  db: Database,
  id: string,
  authorization: string | undefined,
): Promise<ConnectionRow> {
  const row = await firstRow<ConnectionRow>(db, 'select * from connections where id = ?', [idOrNone(id)]);
  const isRight = holdsToken(row, authorization);
  if (row === undefined || !isRight) throw refuse('connection-unauthorized');
  return row;
}

/**
 * Checks once more, just before an answer with success. The revocation may have been committed since the token was
 * checked, even together with what is about to be answered, and after its 204 the token gets no 2xx (INV-53).
 * @throws Refusal `connection-unauthorized`
 */
export async function requireUnrevoked(db: Database, { id, generation }: ConnectionRow): Promise<void> {
  const found = await firstRow(
    db,
    'select id from connections where id = ? and generation = ? and revoked_at is null',
    [id, generation],
  );
  if (found === undefined) throw refuse('connection-unauthorized');
}

/**
 * Revokes a connection that has proved its token. Content and uploads stay (INV-54).
 * @throws Refusal `connection-unauthorized` when it was revoked or reconnected in between
 */
export async function revokeConnection(db: Database, connection: ConnectionRow, now: number): Promise<void> {
  await transactOnPaper(db, connection.paper_id, async (trx) => {
    const revoked = await trx('connections')
      .where({ id: connection.id, generation: connection.generation, revoked_at: null })
      .update({ revoked_at: now });
    if (revoked !== 1) throw refuse('connection-unauthorized');
    await stopWork(trx, connection.id, now);
  });
}

/** Revokes a person's own connection to a paper and ends their pending grants. The manifest is not read (INV-55). */
export async function revokeOwnConnection(
  db: Database,
  own: { readonly paperId: string; readonly userIds: readonly string[] },
  now: number,
): Promise<boolean> {
  return transactOnPaper(db, own.paperId, async (trx) => {
    return (await endRights(trx, own, now)) > 0;
  });
}

/**
 * Ends pending grants and connections to a paper with all their work: those of the given users, or of everybody.
 * @returns how many
 */
export async function endRights(
  trx: Transaction,
  of: { readonly paperId: string; readonly userIds?: readonly string[] },
  now: number,
): Promise<number> {
  const { paperId, userIds } = of;
  const theirs = (rows: Knex.QueryBuilder): unknown => userIds && rows.whereIn('user_id', userIds);
  const grants = await trx('grants')
    .where({ paper_id: paperId, ended_at: null })
    .where(theirs)
    .update({ ended_at: now });
  const connections: { id: string }[] = await trx('connections')
    .where({ paper_id: paperId, revoked_at: null })
    .where(theirs)
    .select('id');
  for (const { id } of connections) {
    await trx('connections').where({ id }).update({ revoked_at: now });
    await stopWork(trx, id, now);
  }
  return grants + connections.length;
}

/** Encrypts a generation's tokens for the columns that hold them. */
export function sealTokens(
  fresh: { readonly id: string; readonly generation: number; readonly token: string; readonly callbackToken: string },
  sealKey: Uint8Array,
  random: Random,
): Pick<ConnectionRow, 'token_hash' | 'token_sealed' | 'callback_token_sealed'> {
  return {
    token_hash: tokenHash(fresh.token),
    token_sealed: seal(fresh.token, placeOf(fresh, 'token'), sealKey, random),
    callback_token_sealed: seal(fresh.callbackToken, placeOf(fresh, 'callback'), sealKey, random),
  };
}

/** Decrypts a connection's tokens. They go to its backend or into a header, nowhere else (T-12). */
export function openTokens(row: ConnectionRow, sealKey: Uint8Array): { token: string; callbackToken: string } {
  return {
    token: open(row.token_sealed, placeOf(row, 'token'), sealKey),
    callbackToken: open(row.callback_token_sealed, placeOf(row, 'callback'), sealKey),
  };
}

function placeOf(row: { readonly id: string; readonly generation: number }, secret: 'token' | 'callback'): string {
  return `connections/${row.id}/${row.generation}/${secret}`;
}
