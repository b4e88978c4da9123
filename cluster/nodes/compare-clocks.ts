/** Compares the clock of this machine with the database's, by which all nodes go. */

import { refuse } from '../../reasons/refusals.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Database } from '../../runtime/database/database.ts';
import { readDatabaseTime } from '../../runtime/database/database-time.ts';

/** How far the machine's clock may be from the database's: times of one node are compared with those of others. */
const maxSkewMs = 10_000;
/** An answer that took longer says little about the time at which it was given. */
const promptMs = 500;
const maxMeasurements = 3;

/**
 * Measures how far the database's clock is ahead. The answer was given in the middle of the time that it took, as far as
 * anybody knows: of several the quickest counts, since a process may be paused between question and answer.
 */
export async function measureSkew(db: Database, clock: Clock): Promise<number> {
  let best = { tookMs: Number.POSITIVE_INFINITY, skewMs: 0 };
  for (let measured = 0; measured < maxMeasurements && best.tookMs > promptMs; measured++) {
    const askedAt = clock.now();
    const there = await readDatabaseTime(db);
    const answeredAt = clock.now();
    const tookMs = Math.abs(answeredAt - askedAt);
    if (tookMs < best.tookMs) best = { tookMs, skewMs: there - (askedAt + answeredAt) / 2 };
  }
  return best.skewMs;
}

/**
 * Refuses a machine whose clock is far off.
 * @throws Refusal `bad-configuration`
 */
export async function requireRightClock(db: Database, clock: Clock): Promise<void> {
  const before = clock.now();
  const there = await readDatabaseTime(db);
  const offMs = there < before ? before - there : Math.max(0, there - clock.now());
  if (offMs <= maxSkewMs) return;
  const direction = there < before ? 'ahead of' : 'behind';
  throw refuse('bad-configuration', {
    message: `the clock of this machine is ${Math.round(offMs / 1000)} s ${direction} the database's`,
    hint: 'set both by NTP and start again: nodes compare times',
  });
}
