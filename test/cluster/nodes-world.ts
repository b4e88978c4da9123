/** A database with the tables of nodes, and a clock that the test moves. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeMigrations } from '../../cluster/nodes/tables.ts';
import type { Clock } from '../../runtime/clock.ts';
import { type Database, openDatabase } from '../../runtime/database/database.ts';
import { ownDatabase } from '../database.ts';
import { until } from '../gateway/world.ts';

/** A clock whose timers fire when the test moves it. */
export interface SteppedClock extends Clock {
  /** Moves the time, and fires the timers that were due. */
  passes(ms: number): void;
  /** Does so, and resolves when a timer waits again: what was begun has come to its end then. */
  elapses(ms: number): Promise<void>;
  /** The delays of the timers that wait. */
  waiting(): readonly number[];
}

/** Makes a clock that begins at the machine's time. */
export function steppedClock(): SteppedClock {
  let now = Date.now();
  const timers = new Set<{ readonly at: number; readonly delayMs: number; readonly run: () => void }>();
  const passes = (ms: number): void => {
    now += ms;
    for (const timer of [...timers].filter(({ at }) => at <= now)) {
      timers.delete(timer);
      timer.run();
    }
  };
  return {
    now: () => now,
    after(delayMs, run) {
      const timer = { at: now + delayMs, delayMs, run };
      timers.add(timer);
      return { cancel: () => timers.delete(timer) };
    },
    passes,
    async elapses(ms) {
      passes(ms);
      await until(() => timers.size > 0, 'what was begun comes to its end');
    },
    waiting: () => [...timers].map(({ delayMs }) => delayMs),
  };
}

/** Opens a database with the tables of nodes, runs the test, and removes it. */
export async function withNodeTables(run: (db: Database) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'papergate-nodes-'));
  const rows = await ownDatabase(join(folder, 'rows.sqlite'));
  const db = await openDatabase(rows.address, nodeMigrations);
  try {
    await run(db);
  } finally {
    await db.destroy();
    await rows.drop();
    await rm(folder, { recursive: true });
  }
}
