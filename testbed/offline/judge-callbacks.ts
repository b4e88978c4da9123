/**
 * Checks of the promises about callbacks: each change owes exactly one, in the same commit, and every attempt sends the
 * same bytes.
 */

import type { ConnectionRow } from '../../api/integration/connections.ts';
import { grades } from '../../gateway/frames/grades.ts';
import type { JudgeDeps } from './judge-requests.ts';
import type { Checker } from './machine/checker.ts';
import type { Commit, EventRow } from './machine/commit-log.ts';
import type { ArrivedCallback } from './machine/receiver.ts';

const hourMs = 3_600_000;
/** A claim of an attempt lasts this long, on top of any wait. */
const claimMs = 60_000;
const sentMs = 7 * 86_400_000;
const keptMs = 30 * 86_400_000;

/** Returns whether a paper still names the page that its connection was made for. */
export function isConfigured(
  { render_url: url }: Pick<ConnectionRow, 'render_url'>,
  paperMeta: string | null,
): boolean {
  const renderPage = String(JSON.parse(paperMeta ?? '{}').pluginManifest?.renderPage).replace('./', '/');
  return url.endsWith(renderPage);
}

/** Checks the effect of a commit on the outbox against its other changes. */
export function judgeCallbacks({ checker, clockErrorMs }: JudgeDeps, commit: Commit): void {
  const owed = owedBy(commit);
  for (const { before, after } of commit.events) {
    if (after === undefined) {
      const isOld = before !== undefined && before.created_at <= commit.now - keptMs + clockErrorMs;
      checker.holds(isOld, 'INV-71', () => `callback ${before?.id} is gone before its 30 days`);
    } else if (before === undefined) {
      const key = keyOf(after.request_id, after.delivery_id, after.state);
      checker.holds(
        owed.delete(key),
        'INV-60',
        () => `callback ${after.id} tells of ${key}, which this commit did not do`,
      );
      judgeBody(checker, after);
    } else judgeAttempt(checker, commit.now + clockErrorMs, before, after);
  }
  checker.holds(owed.size === 0, 'INV-60', () => `${[...owed].join(', ')} happened without a callback`);
}

function keyOf(requestId: string, deliveryId: string | null, state: string): string {
  return `${requestId} ${deliveryId ?? 'paper'} ${state}`;
}

/** Returns the callbacks that a commit owes by the delivery rules of the specification. */
function owedBy({ requests, deliveries, one }: Commit): Set<string> {
  const owed = new Set<string>();
  // A row that moved and was deleted in one commit owes its callback all the same.
  for (const { before, after, moves } of deliveries) {
    const row = after ?? before;
    if (row === undefined) continue;
    for (const { from, to } of moves) if (from !== null) owed.add(keyOf(row.request_id, row.id, to));
  }
  for (const { before, after, moves } of requests) {
    const row = after ?? before;
    for (const { from, to } of moves) {
      // A message without an image is accepted in the statement that creates its request.
      if (row === undefined || (from === null && to !== 'accepted')) continue;
      if (to === 'accepted') owed.add(keyOf(row.id, null, 'available'));
      if (to === 'superseded') owed.add(keyOf(row.id, null, 'superseded'));
      // Deliveries may be deleted in the very commit that closes their request.
      const hadFrames =
        deliveries.some(({ before, after }) => (after ?? before)?.request_id === row.id) ||
        one('select id from deliveries where request_id = ?', row.id) !== undefined;
      if (to === 'closed' && !hadFrames) owed.add(keyOf(row.id, null, 'unconfirmed'));
    }
  }
  return owed;
}

const paperFields = ['connectionId', 'eventId', 'messageId', 'occurredAt', 'paperId', 'requestId', 'state'];
const frameFields = [...paperFields, 'deviceId', 'frameName'].sort();

function judgeBody(checker: Checker, event: EventRow): void {
  const body: Record<string, unknown> = JSON.parse(event.body);
  const { grade, ...rest } = body;
  const fields = event.delivery_id === null ? paperFields : frameFields;
  const isExact = Object.keys(rest).sort().join() === fields.join() && isGraded(event, grade);
  const isIts = body.eventId === event.id && body.requestId === event.request_id && body.state === event.state;
  checker.holds(isExact && isIts, 'INV-64', () => `callback ${event.id} says ${event.body}`);
}

/** EV-14: only events of a frame have a grade, and a frame that is in step has one that its dialect proves. */
function isGraded({ delivery_id, state }: EventRow, grade: unknown): boolean {
  if (grade === undefined) return state !== 'synced';
  if (delivery_id === null || !grades.some((one) => one === grade)) return false;
  return state !== 'synced' || (grade !== 'offered' && grade !== 'fetched');
}

function judgeAttempt(checker: Checker, now: number, before: EventRow, after: EventRow): void {
  checker.holds(before.body === after.body, 'INV-59', () => `callback ${after.id} changed its body`);
  if (after.due_at === null || after.due_at === before.due_at) return;
  const isBounded = after.due_at <= now + hourMs + claimMs;
  checker.holds(isBounded, 'INV-61', () => `callback ${after.id} waits longer than an hour`);
}

/** A connection with its member's role and its paper's settings, at the moment at which a callback of it is sent. */
export type SendingConnection = Pick<
  ConnectionRow,
  'generation' | 'revoked_at' | 'user_id' | 'paper_id' | 'render_url'
> & { readonly role: string | null; readonly paper_meta: string | null };

/** The moment of an attempt. A row that changed in this moment may have changed after the right to send was checked. */
interface Sending {
  readonly now: number;
  readonly leaptAt: number;
  readonly changedNow: (table: 'papers' | 'users' | 'connections', id: string) => boolean;
  readonly clockErrorMs: number;
}

/** Checks at the beginning of an attempt that the connection still has the right to send. */
export function judgeSending(
  checker: Checker,
  { now, leaptAt, changedNow, clockErrorMs }: Sending,
  event: EventRow | undefined,
  connection: SendingConnection | undefined,
): void {
  if (event === undefined || connection === undefined) return;
  const isActive = connection.generation === event.generation && connection.revoked_at === null;
  // A callback whose right was checked in this very moment is on its way already.
  const isNew = connection.revoked_at === now || (clockErrorMs > 0 && changedNow('connections', event.connection_id));
  checker.holds(isActive || isNew, 'INV-56', () => `callback ${event.id} was sent for a generation that ended`);
  const isMember = connection.role === 'admin' || connection.role === 'user';
  checker.holds(
    isMember || changedNow('users', connection.user_id),
    'INV-57',
    () => `callback ${event.id} was sent for somebody who may no longer connect`,
  );
  checker.holds(
    isConfigured(connection, connection.paper_meta) || changedNow('papers', connection.paper_id),
    'INV-57',
    () => `callback ${event.id} was sent for a changed integration`,
  );
  // A machine that is suspended between the check and the attempt sends when it is back.
  const isInTime = now <= event.created_at + sentMs + clockErrorMs || now - leaptAt < claimMs;
  checker.holds(isInTime, 'INV-61', () => `callback ${event.id} was sent after seven days`);
}

/**
 * Checks that every callback that arrived has exactly the bytes that were committed under its event id (INV-59).
 * @param written every body that was ever committed, by event id
 */
export function judgeHeard(
  checker: Checker,
  written: ReadonlyMap<string, string>,
  heard: readonly ArrivedCallback[],
): void {
  for (const { eventId, body } of heard) {
    const isWritten = written.get(eventId) === body;
    checker.holds(
      isWritten,
      'INV-59',
      () => `callback ${eventId} came with other bytes than were written down: ${body}`,
    );
  }
}
