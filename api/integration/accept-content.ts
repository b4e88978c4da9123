/** The two moves of an intake: taking a place in the paper's order, and becoming its source. */
import { type Transaction, transact } from '../../gateway/runtime/database.ts';
import { assigned, changeRows, firstRow, insertRow } from '../../gateway/runtime/plain-sql.ts';
import { refuse } from '../../gateway/runtime/refusals.ts';
import { recordEvent } from '../callbacks/announce.ts';
import { lockPaper } from '../papers/lock-paper.ts';
import { connectionInForce } from './authorize.ts';
import type { ConnectionRow } from './connections.ts';
import type { IntegrationEdges } from './edges.ts';
import { findRequest, forgetExpired, type RequestRow } from './requests.ts';
import { lockedPaper } from './saved-paper.ts';
import { supersedeOlder } from './supersede.ts';

type AcceptEdges = Pick<IntegrationEdges, 'db' | 'clock' | 'random' | 'settings' | 'at'>;

/** A submission that passed validation. `contentHash` stands for text and picture bytes as submitted. */
export interface Intake {
  readonly messageId: string;
  readonly text: string;
  readonly contentHash: string;
}

/**
 * Opens the intake of a message id, or finds the one that exists. The sequence is taken once, under the paper's lock
 * (INV-16); a refused or repeated submission takes none.
 * @throws Refusal `message-id-used` when the id names different content (INV-06, INV-11)
 */
export async function openIntake(edges: AcceptEdges, connection: ConnectionRow, intake: Intake): Promise<RequestRow> {
  return await transact(edges.db, (trx) => opened(trx, edges, connection, intake));
}

/**
 * Opens and accepts the intake of a text, or finds the one that exists. There is no file to wait for between the two, so
 * one transaction does both.
 * @throws Refusal as `openIntake` does
 */
export async function acceptText(edges: AcceptEdges, connection: ConnectionRow, intake: Intake): Promise<RequestRow> {
  return await transact(edges.db, async (trx) => {
    const request = await opened(trx, edges, connection, intake);
    return request.state === 'receiving' ? accepted(trx, edges, request, undefined) : request;
  });
}

/** Looks the message id up and takes its place, with the connection found in force. */
async function opened(
  trx: Transaction,
  edges: AcceptEdges,
  connection: ConnectionRow,
  intake: Intake,
): Promise<RequestRow> {
  const paper = await lockedPaper(trx, connection.paper_id);
  if (paper === undefined) throw refuse('paper-access-denied');
  const now = edges.clock.now();
  const existing = await findRequest(trx, connection, intake.messageId, now);
  if (existing !== undefined && existing.content_hash !== intake.contentHash) throw refuse('message-id-used');
  if (existing === undefined || existing.state === 'receiving') await requireInForce(trx, edges, connection);
  if (existing !== undefined) return existing;
  await forgetExpired(trx, connection, intake.messageId, now);
  const sequence = paper.sequence + 1;
  await changeRows(trx, 'update papers set sequence = ? where id = ?', [sequence, paper.id]);
  const request: RequestRow = {
    id: edges.random.id(),
    connection_id: connection.id,
    generation: connection.generation,
    paper_id: paper.id,
    message_id: intake.messageId,
    content_hash: intake.contentHash,
    state: 'receiving',
    sequence,
    text: intake.text,
    image_key: null,
    created_at: now,
    accepted_at: null,
    updated_at: now,
    due_at: null,
  };
  await edges.at?.('intake.before-row');
  await insertRow(trx, 'content_requests', { ...request });
  await edges.at?.('intake.row-written');
  return request;
}

/**
 * Accepts an opened intake whose picture is stored durably; one that another call completed is left as it is (INV-08).
 */
export async function acceptIntake(
  edges: AcceptEdges,
  connection: ConnectionRow,
  begun: RequestRow,
  imageKey: string,
): Promise<RequestRow> {
  return await transact(edges.db, async (trx) => {
    await lockPaper(trx, begun.paper_id);
    await requireInForce(trx, edges, connection);
    const request = await findRequest(trx, connection, begun.message_id, edges.clock.now());
    // A machine that was suspended for a month in between: sent again, it is a new message (INV-13).
    if (request === undefined) throw refuse('unavailable');
    return request.state === 'receiving' ? accepted(trx, edges, request, imageKey) : request;
  });
}

/**
 * In the transaction that holds the paper's lock: makes an intake the paper's source, ends what it replaces and writes
 * the callbacks owed (INV-18, INV-20, INV-22). An intake that was overtaken is superseded at once (D-2).
 */
async function accepted(
  trx: Transaction,
  edges: AcceptEdges,
  request: RequestRow,
  imageKey: string | undefined,
): Promise<RequestRow> {
  const now = edges.clock.now();
  await edges.at?.('acceptance.begun');
  const sql = 'select sequence from paper_contents where paper_id = ?';
  const source = await firstRow<{ sequence: number }>(trx, sql, [request.paper_id]);
  const isOvertaken = source !== undefined && source.sequence > request.sequence;
  const change = {
    state: isOvertaken ? ('superseded' as const) : ('accepted' as const),
    image_key: imageKey ?? null,
    accepted_at: now,
    updated_at: now,
    due_at: isOvertaken ? null : now,
  };
  const row: RequestRow = { ...request, ...change };
  const changed = `update content_requests set ${assigned(Object.keys(change))} where id = ?`;
  await changeRows(trx, changed, [...Object.values(change), request.id]);
  if (isOvertaken) {
    await recordEvent(trx, { request, state: 'superseded' }, now, edges.random);
    return row;
  }
  await edges.at?.('acceptance.row-written');
  await replaceSource(trx, row);
  await edges.at?.('acceptance.source-replaced');
  await supersedeOlder(trx, { paperId: request.paper_id, sequence: request.sequence }, now, edges.random);
  await edges.at?.('acceptance.older-superseded');
  await recordEvent(trx, { request, state: 'available' }, now, edges.random);
  await edges.at?.('acceptance.outbox-written');
  return row;
}

/** After a revocation no submission is answered with a 202, not even one whose body was under way (INV-53). */
async function requireInForce(trx: Transaction, edges: AcceptEdges, connection: ConnectionRow): Promise<void> {
  const { id: connectionId, generation } = connection;
  const verdict = await connectionInForce(trx, { connectionId, generation }, edges.settings);
  if (!verdict.ok) throw refuse(verdict.code);
}

/** Text and picture are one row and are replaced together (INV-20). */
async function replaceSource(trx: Transaction, request: RequestRow): Promise<void> {
  const content = {
    request_id: request.id,
    sequence: request.sequence,
    text: request.text,
    image_key: request.image_key,
    received_at: request.created_at,
  };
  const merged = Object.keys(content).map((column) => `${column} = excluded.${column}`);
  const row = { paper_id: request.paper_id, ...content };
  await insertRow(trx, 'paper_contents', row, `on conflict (paper_id) do update set ${merged.join(', ')}`);
}
