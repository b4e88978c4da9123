/** Content requests: their rows, and the one that a message id names. */

import { createHash, hash } from 'node:crypto';
import type { Database, Transaction } from '../../runtime/database/database.ts';
import { firstRow } from '../../runtime/database/plain-sql.ts';
import type { RowIn } from '../../runtime/database/table.ts';
import { type FileContent, streamContent } from '../http/uploaded-file.ts';
import type { ConnectionRow } from '../integration/connections.ts';
import type { integrationTables } from '../integration/tables.ts';
import { type RequestState, requestLifetimeMs } from './states.ts';

/** A row of `content_requests`. */
export type RequestRow = RowIn<typeof integrationTables, 'content_requests', { state: RequestState }>;

/**
 * SHA-256 of text and submitted picture bytes as hex: equal exactly for identical content. Absent and empty text are
 * the same content (D-5).
 */
export async function contentHash(text: string, image: FileContent | undefined): Promise<string> {
  const begun = `${Buffer.byteLength(text)}:${text}`;
  // Node hashes a text at once in half the time.
  if (image === undefined) return hash('sha256', begun);
  const content = createHash('sha256').update(begun);
  for await (const piece of streamContent(image)) content.update(piece);
  return content.digest('hex');
}

/**
 * Finds the request that a message id names in the connection's generation, until it expires. A revoked request counts
 * if it had been accepted: a submission that was refused on the way reserves no message id (INV-09).
 */
export async function findRequest(
  db: Database | Transaction,
  connection: ConnectionRow,
  messageId: string,
  now: number,
): Promise<RequestRow | undefined> {
  const row = await storedRequest(db, connection, messageId);
  return row === undefined || isForgotten(row, now) ? undefined : row;
}

/**
 * Finds the same, and makes room for a new request: one that no longer counts is deleted if still stored (INV-13).
 */
export async function findOrForgetRequest(
  trx: Transaction,
  connection: ConnectionRow,
  messageId: string,
  now: number,
): Promise<RequestRow | undefined> {
  const row = await storedRequest(trx, connection, messageId);
  if (row === undefined || !isForgotten(row, now)) return row;
  await trx('deliveries').where({ request_id: row.id }).delete();
  await trx('content_requests').where({ id: row.id }).delete();
  return undefined;
}

/** Reads the stored request, one at most: connection, generation and message id are unique together (INV-12). */
function storedRequest(
  db: Database | Transaction,
  connection: ConnectionRow,
  messageId: string,
): Promise<RequestRow | undefined> {
  const sql = 'select * from content_requests where connection_id = ? and generation = ? and message_id = ?';
  return firstRow(db, sql, [connection.id, connection.generation, messageId]);
}

const isForgotten = (row: RequestRow, now: number): boolean =>
  row.created_at <= now - requestLifetimeMs || (row.state === 'revoked' && row.accepted_at === null);

/** The latest request of the connection's generation, by the paper's sequence and never by a clock (INV-15). */
export async function latestRequest(
  db: Database,
  connection: ConnectionRow,
  now: number,
): Promise<RequestRow | undefined> {
  return await db<RequestRow>('content_requests')
    .where({ connection_id: connection.id, generation: connection.generation })
    .where('created_at', '>', now - requestLifetimeMs)
    .orderBy('sequence', 'desc')
    .first();
}
