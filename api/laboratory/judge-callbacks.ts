/** Promises about callbacks: each change owes exactly one, in its own commit; every attempt carries the same bytes. */
import type { ConnectionRow } from '../integration/connections.ts';
import type { Commit, EventRow } from './commit-log.ts';
import type { Heard } from './receiver.ts';
import type { Court } from './verdict.ts';

const hourMs = 3_600_000;
/** A claim of an attempt, on top of any wait. */
const claimMs = 60_000;
const keptMs = 7 * 86_400_000;

/** Whether a paper still names the page that its connection was made for. */
export function isConfigured(
  { render_url: url }: Pick<ConnectionRow, 'render_url'>,
  paperMeta: string | null,
): boolean {
  const renderPage = String(JSON.parse(paperMeta ?? '{}').pluginManifest?.renderPage).replace('./', '/');
  return url.endsWith(renderPage);
}

/** Judges what a commit did to the outbox, beside the other changes of the same commit. */
export function judgeCallbacks(court: Court, commit: Commit): void {
  const owed = owedBy(commit);
  for (const { before, after } of commit.events) {
    if (after === undefined) {
      const isOld = before !== undefined && before.created_at <= commit.now - keptMs;
      court.holds(isOld, 'INV-71', () => `callback ${before?.id} is gone before its seven days`);
    } else if (before === undefined) {
      const key = keyOf(after.request_id, after.delivery_id, after.state);
      court.holds(
        owed.delete(key),
        'INV-60',
        () => `callback ${after.id} tells of ${key}, which this commit did not do`,
      );
      judgeBody(court, after);
    } else judgeAttempt(court, commit.now, before, after);
  }
  court.holds(owed.size === 0, 'INV-60', () => `${[...owed].join(', ')} happened without a callback`);
}

function keyOf(requestId: string, deliveryId: string | null, state: string): string {
  return `${requestId} ${deliveryId ?? 'paper'} ${state}`;
}

/** The callbacks that a commit owes (spec: Delivery rules, INV-21, INV-22, INV-44). */
function owedBy({ requests, deliveries, one }: Commit): Set<string> {
  const owed = new Set<string>();
  // What moved and was forgotten in one commit owes its word all the same.
  for (const { before, after, moves } of deliveries) {
    const row = after ?? before;
    if (row === undefined) continue;
    for (const { from, to } of moves) if (from !== null) owed.add(keyOf(row.request_id, row.id, to));
  }
  for (const { before, after, moves } of requests) {
    const row = after ?? before;
    for (const { from, to } of moves) {
      // A text is accepted in the statement that opens it.
      if (row === undefined || (from === null && to !== 'accepted')) continue;
      if (to === 'accepted') owed.add(keyOf(row.id, null, 'available'));
      if (to === 'superseded') owed.add(keyOf(row.id, null, 'superseded'));
      // Deliveries may be forgotten in the very commit that closes their request.
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

function judgeBody(court: Court, event: EventRow): void {
  const body: Record<string, unknown> = JSON.parse(event.body);
  const fields = event.delivery_id === null ? paperFields : frameFields;
  const isExact = Object.keys(body).sort().join() === fields.join();
  const isIts = body.eventId === event.id && body.requestId === event.request_id && body.state === event.state;
  court.holds(isExact && isIts, 'INV-64', () => `callback ${event.id} says ${event.body}`);
}

function judgeAttempt(court: Court, now: number, before: EventRow, after: EventRow): void {
  court.holds(before.body === after.body, 'INV-59', () => `callback ${after.id} changed its body`);
  if (after.due_at === null || after.due_at === before.due_at) return;
  const isBounded = after.due_at <= now + hourMs + claimMs;
  court.holds(isBounded, 'INV-61', () => `callback ${after.id} waits longer than an hour`);
}

/** A connection with its person's role and its paper, at the moment that a callback of it is sent. */
export type SendingConnection = Pick<
  ConnectionRow,
  'generation' | 'revoked_at' | 'user_id' | 'paper_id' | 'render_url'
> & { readonly role: string | null; readonly paper_meta: string | null };

/** The moment of an attempt. What changed in it may have changed after the right to send was looked at. */
interface Sending {
  readonly now: number;
  readonly leaptAt: number;
  readonly changedNow: (table: 'papers' | 'users', id: string) => boolean;
}

/** Judges the beginning of an attempt: nothing is sent for whom may not any more (INV-53, INV-56, INV-57, INV-61). */
export function judgeSending(
  court: Court,
  { now, leaptAt, changedNow }: Sending,
  event: EventRow | undefined,
  connection: SendingConnection | undefined,
): void {
  if (event === undefined || connection === undefined) return;
  const isInForce = connection.generation === event.generation && connection.revoked_at === null;
  // One whose right was checked in this very moment is on its way.
  const isNew = connection.revoked_at === now;
  court.holds(isInForce || isNew, 'INV-56', () => `callback ${event.id} was sent for a generation that ended`);
  const isMember = connection.role === 'admin' || connection.role === 'user';
  court.holds(
    isMember || changedNow('users', connection.user_id),
    'INV-57',
    () => `callback ${event.id} was sent for somebody who may not connect any more`,
  );
  court.holds(
    isConfigured(connection, connection.paper_meta) || changedNow('papers', connection.paper_id),
    'INV-57',
    () => `callback ${event.id} was sent for a changed integration`,
  );
  // A machine that is suspended between looking and sending sends when it is back.
  const isInTime = now <= event.created_at + keptMs || now - leaptAt < claimMs;
  court.holds(isInTime, 'INV-61', () => `callback ${event.id} was sent after seven days`);
}

/**
 * Judges what arrived: bytes that were written down, with their event's id (INV-59).
 * @param written every body that was ever committed, by event id
 */
export function judgeHeard(court: Court, written: ReadonlyMap<string, string>, heard: readonly Heard[]): void {
  for (const { eventId, body } of heard) {
    const isWritten = written.get(eventId) === body;
    court.holds(isWritten, 'INV-59', () => `callback ${eventId} came with other bytes than were written down: ${body}`);
  }
}
