/** The two moves of an intake: taking a place in the paper's order, and becoming its source. */

import { refuse } from '../../reasons/refusals.ts';
import type { Transaction } from '../../runtime/database/database.ts';
import { assigned, changeRows, firstRow, insertRow } from '../../runtime/database/plain-sql.ts';
import { oweCallback } from '../callbacks/owe-callback.ts';
import { findOrForgetRequest, findRequest, type RequestRow } from '../delivery-state/requests.ts';
import { type AuthorizationFacts, authorizationOfWork, readAuthorizationFacts } from '../integration/authorize.ts';
import type { ConnectionRow } from '../integration/connections.ts';
import { transactOnPaper } from '../papers/lock-paper.ts';
import type { ContentDeps } from './content-deps.ts';
import { supersedeOlder } from './supersede.ts';

type AcceptDeps = Pick<ContentDeps, 'db' | 'clock' | 'random' | 'settings' | 'at'>;

/** A submission that passed validation. `contentHash` stands for text and picture bytes as submitted. */
export interface Intake {
  readonly messageId: string;
  readonly text: string;
  readonly contentHash: string;
}

/**
 * Opens the intake of a message id, or finds the one that exists. The sequence is taken once, under the paper's lock
 * (INV-16); a refused or repeated submission takes none.
 * @throws Refusal `message-id-used` when the id names different content (INV-06)
 */
export async function openIntake(deps: AcceptDeps, connection: ConnectionRow, intake: Intake): Promise<RequestRow> {
  return await transactOnPaper(deps.db, connection.paper_id, async (trx) => {
    const { request, isNew } = await takePlace(trx, deps, connection, intake);
    if (isNew) await writeRequest(trx, deps, request);
    return request;
  });
}

/**
 * Opens and accepts the intake of a text, or finds the one that exists. There is no file to wait for between the two,
 * so one transaction does both, and the row is written once.
 * @throws Refusal as `openIntake` does
 */
export async function acceptText(deps: AcceptDeps, connection: ConnectionRow, intake: Intake): Promise<RequestRow> {
  return await transactOnPaper(deps.db, connection.paper_id, async (trx) => {
    const { request, isNew } = await takePlace(trx, deps, connection, intake);
    if (isNew) {
      const row = { ...request, ...acceptedAt(deps.clock.now()) };
      await writeRequest(trx, deps, row);
      return becomeSource(trx, deps, connection, row);
    }
    return request.state === 'receiving' ? accepted(trx, deps, connection, request) : request;
  });
}

/** Looks the message id up and takes its place in the order of the locked paper, with the connection found in force. */
async function takePlace(
  trx: Transaction,
  deps: AcceptDeps,
  connection: ConnectionRow,
  intake: Intake,
): Promise<{ readonly request: RequestRow; readonly isNew: boolean }> {
  const facts = await readAuthorizationFacts(trx, connection.id);
  if (facts?.paper === undefined) throw refuse('paper-access-denied');
  const now = deps.clock.now();
  const existing = await findOrForgetRequest(trx, connection, intake.messageId, now);
  if (existing !== undefined && existing.content_hash !== intake.contentHash) throw refuse('message-id-used');
  if (existing === undefined || existing.state === 'receiving') requireActive(facts, deps, connection);
  if (existing !== undefined) return { request: existing, isNew: false };
  const sequence = facts.paper.sequence + 1;
  await changeRows(trx, 'update papers set sequence = ? where id = ?', [sequence, connection.paper_id]);
  const request: RequestRow = {
    id: deps.random.id(),
    connection_id: connection.id,
    generation: connection.generation,
    paper_id: connection.paper_id,
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
  return { request, isNew: true };
}

async function writeRequest(trx: Transaction, deps: AcceptDeps, request: RequestRow): Promise<void> {
  await deps.at?.('intake.before-row');
  await insertRow(trx, 'content_requests', { ...request });
  await deps.at?.('intake.row-written');
}

/**
 * Accepts an opened intake whose picture is stored durably. An intake that another call completed stays so (INV-08).
 */
export async function acceptIntake(
  deps: AcceptDeps,
  connection: ConnectionRow,
  begun: RequestRow,
  imageKey: string,
): Promise<RequestRow> {
  return await transactOnPaper(deps.db, begun.paper_id, async (trx) => {
    requireActive(await readAuthorizationFacts(trx, connection.id), deps, connection);
    const request = await findRequest(trx, connection, begun.message_id, deps.clock.now());
    // The connection was away for a while, or the machine for a month: sent again, it is a new message (INV-13).
    if (request?.id !== begun.id) throw refuse('unavailable');
    const stored = { ...request, image_key: imageKey };
    return request.state === 'receiving' ? accepted(trx, deps, connection, stored) : request;
  });
}

/** The columns of a request that acceptance changes, besides its picture. */
const acceptedAt = (now: number) => ({ state: 'accepted', accepted_at: now, updated_at: now, due_at: now }) as const;

/**
 * Accepts an intake that was opened before, with the picture that the request names, in the transaction that holds the
 * paper's lock. An intake that was overtaken meanwhile is superseded at once (D-2).
 */
async function accepted(
  trx: Transaction,
  deps: AcceptDeps,
  connection: ConnectionRow,
  request: RequestRow,
): Promise<RequestRow> {
  const now = deps.clock.now();
  await deps.at?.('acceptance.begun');
  const sql = 'select sequence from paper_contents where paper_id = ?';
  const source = await firstRow<{ sequence: number }>(trx, sql, [request.paper_id]);
  const isOvertaken = source !== undefined && source.sequence > request.sequence;
  const change = {
    ...acceptedAt(now),
    ...(isOvertaken && ({ state: 'superseded', due_at: null } as const)),
    image_key: request.image_key,
  };
  const row: RequestRow = { ...request, ...change };
  const changed = `update content_requests set ${assigned(Object.keys(change))} where id = ?`;
  await changeRows(trx, changed, [...Object.values(change), request.id]);
  await deps.at?.('acceptance.row-written');
  if (!isOvertaken) return becomeSource(trx, deps, connection, row);
  await oweCallback(trx, { request, state: 'superseded' }, now, deps.random);
  return row;
}

/** Makes an accepted request the paper's source, ends what it replaces and writes the callbacks owed (INV-22). */
async function becomeSource(
  trx: Transaction,
  deps: AcceptDeps,
  connection: ConnectionRow,
  row: RequestRow,
): Promise<RequestRow> {
  const now = row.updated_at;
  await replaceSource(trx, connection, row);
  await deps.at?.('acceptance.source-replaced');
  await supersedeOlder(trx, { paperId: row.paper_id, sequence: row.sequence }, now, deps.random);
  await deps.at?.('acceptance.older-superseded');
  await oweCallback(trx, { request: row, state: 'available' }, now, deps.random);
  await deps.at?.('acceptance.outbox-written');
  return row;
}

/** After a revocation no submission is answered with a 202, not even one whose body was under way (INV-53). */
function requireActive(facts: AuthorizationFacts | undefined, deps: AcceptDeps, connection: ConnectionRow): void {
  const authorization = authorizationOfWork(facts, connection, deps.settings);
  if (!authorization.ok) throw refuse(authorization.code);
}

/** Text and picture are one row and are replaced together (INV-20). */
async function replaceSource(trx: Transaction, connection: ConnectionRow, request: RequestRow): Promise<void> {
  const content = {
    request_id: request.id,
    sequence: request.sequence,
    text: request.text,
    image_key: request.image_key,
    // When its body began to arrive, nobody could show it yet.
    received_at: request.updated_at,
    // PAGE-21: the content goes to this integration's renderer and to no other.
    config_url: connection.config_url,
  };
  const merged = Object.keys(content).map((column) => `${column} = excluded.${column}`);
  const row = { paper_id: request.paper_id, ...content };
  await insertRow(trx, 'paper_contents', row, `on conflict (paper_id) do update set ${merged.join(', ')}`);
}
