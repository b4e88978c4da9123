/**
 * Waiting for another process's lock on SQLite's file: that of a setup, a backup or somebody's shell. The driver
 * reports the lock at once, and the wait for its end neither blocks the event loop nor holds a connection.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { refuse } from '../../reasons/refusals.ts';
import { errorCode } from '../error-code.ts';

/** Work waits this long for the end of the lock before it is refused. */
export const maxLockedMs = 6_000;
const firstWaitMs = 5;
const maxWaitMs = 100;
const retryAfterSeconds = 5;

/** Returns whether a statement failed because another process holds the lock: then it had no effect. */
export function isLocked(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'SQLITE_BUSY' || code.startsWith('SQLITE_BUSY_');
}

/**
 * Runs work in a transaction that has really begun. Knex runs it even when the beginning failed, and reports that only
 * afterwards: the work would then be in no transaction.
 */
export function beginAndRun<Result>(db: Knex, work: (trx: Knex.Transaction) => Promise<Result>): Promise<Result> {
  return db.transaction(async (trx) => {
    if (trx.isCompleted()) throw new Error('The transaction did not begin');
    return work(trx);
  });
}

/**
 * Runs work as a whole, and again while another process has the lock.
 * @throws Refusal `unavailable` when the lock is held for longer than people wait
 */
export async function outlastLock<Result>(run: () => Promise<Result>): Promise<Result> {
  const givenUpAt = performance.now() + maxLockedMs;
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(2 * waitMs, maxWaitMs)) {
    try {
      return await run();
    } catch (error) {
      if (!isLocked(error)) throw error;
      if (performance.now() >= givenUpAt) throw refuseLocked();
      await sleep(waitMs);
    }
  }
}

function refuseLocked() {
  const message = 'Another process holds the lock on the database';
  const hint = 'nothing was changed: try again shortly, and look for what keeps the lock if it stays';
  return refuse('unavailable', { message, hint, retryAfterSeconds });
}
