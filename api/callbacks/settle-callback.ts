/** Stores how an attempt to send a callback ended. */
import { type Because, storedReasons } from '../../reasons/reason.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { WaitingEvent } from './due-events.ts';
import { nextAttemptAt } from './retry-schedule.ts';
import { withAttempt } from './tried-attempts.ts';

/** How the work on a claimed event ended. */
export type Ending =
  | { readonly kind: 'delivered'; readonly status: number | undefined }
  | { readonly kind: 'failed'; readonly status: number | undefined; readonly problem: Because }
  | { readonly kind: 'dropped'; readonly problem: Because }
  | { readonly kind: 'interrupted' };

type SettleDeps = Pick<CommonDeps, 'db' | 'clock' | 'random'>;

/**
 * Stores how the attempt ended, if the claim is still held: a revocation or another node may have taken it (INV-33).
 */
export async function settleCallback(
  { db, clock, random }: SettleDeps,
  event: WaitingEvent,
  ending: Ending,
  tookMs: number,
): Promise<void> {
  const now = clock.now();
  const attempts = event.attempts + 1;
  const { id, due_at, claimed_by } = event;
  const claimed = db('callback_events').where({ id, due_at, claimed_by });
  switch (ending.kind) {
    case 'delivered': {
      const tried = withAttempt(event.tried, { at: now, ms: tookMs, status: ending.status });
      await claimed.update({
        attempts,
        tried,
        tried_at: now,
        due_at: null,
        delivered_at: now,
        problem: null,
        claimed_by: null,
      });
      return;
    }
    case 'failed': {
      const next = nextAttemptAt({ createdAt: event.created_at, attempts, now, jitter: random.jitter() });
      const { status, problem } = ending;
      const tried = withAttempt(event.tried, { at: now, ms: tookMs, status, problem });
      await claimed.update({
        attempts,
        tried,
        tried_at: now,
        due_at: next ?? null,
        problem: storedReasons(problem),
        claimed_by: null,
      });
      return;
    }
    case 'dropped':
      await claimed.update({ tried_at: now, due_at: null, problem: storedReasons(ending.problem), claimed_by: null });
      return;
    case 'interrupted':
      await claimed.update({ due_at: now, claimed_by: null });
  }
}
