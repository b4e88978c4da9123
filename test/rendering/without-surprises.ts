/** Runs a test in which nothing may throw where nobody catches it: that would end the service. */
import { setTimeout as pause } from 'node:timers/promises';
import * as assert from 'uvu/assert';

/** The time within which late errors come. */
const settleMs = 50;

/** Runs the test and fails when the process would have ended of it. */
export async function withoutSurprises(run: () => Promise<void>): Promise<void> {
  const surprises: string[] = [];
  const note = (error: unknown): void => void surprises.push(String(error));
  process.on('uncaughtException', note).on('unhandledRejection', note);
  try {
    await run();
    await pause(settleMs);
  } finally {
    process.off('uncaughtException', note).off('unhandledRejection', note);
  }
  assert.equal(surprises, []);
}
