/**
 * Work at times that clocks on the wall show, such as 2:37 each night: once for each such time, also on the day on which
 * clocks skip it or show it twice, and later where the machine was off or asleep.
 */
import { schedule } from 'node-cron';
import type { Clock } from './clock.ts';
import { cronTimes } from './cron-times.ts';
import { inBackground } from './in-background.ts';
import type { Logger } from './logger.ts';

/** Calls a function each minute, until the returned function is called. */
export type EachMinute = (look: () => void) => () => void;

/** A long timer stands still while a machine sleeps, and knows nothing of a clock that is set: so the clock is looked at. */
const cronMinutes: EachMinute = (look) => {
  const task = schedule('* * * * *', look);
  return () => {
    Promise.resolve(task.destroy()).catch(() => {});
  };
};

/** The wait before a missed task, since a service that has just started has other things to do. */
export const catchUpMs = 15 * 60_000;

export interface WallPlan {
  /** The times, as five fields of cron, in the machine's zone. */
  readonly line: string;
  /** The task, for the log. */
  readonly task: string;
  /** When it was done last, in epoch milliseconds, before this process: a time that passed since then was missed. */
  readonly lastAt: number;
  readonly run: () => Promise<unknown>;
  /** Only tests hand it in. */
  readonly timeZone?: string;
}

export interface PlanDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Pick<Logger, 'error'>;
  /** Only tests hand it in. */
  readonly eachMinute?: EachMinute;
}

/** Follows a plan until it is stopped; then no work begins, and work under way ends by itself. */
export function followPlan(
  { line, task, lastAt, run, timeZone }: WallPlan,
  { clock, logger, eachMinute = cronMinutes }: PlanDeps,
): { stop(): void } {
  const next = cronTimes(line, timeZone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone);
  const nextAfter = (at: number): number => next(at) ?? Number.POSITIVE_INFINITY;
  const startedAt = clock.now();
  let dueAt = nextAfter(lastAt) <= startedAt ? startedAt + catchUpMs : nextAfter(startedAt);
  let isRunning = false;

  async function work(): Promise<void> {
    isRunning = true;
    try {
      await run();
    } finally {
      isRunning = false;
    }
  }

  function look(): void {
    const now = clock.now();
    if (now >= dueAt) {
      dueAt = nextAfter(now);
      if (!isRunning) inBackground(logger, task, work);
    }
    // A clock that was set back shows the next time sooner.
    dueAt = Math.min(dueAt, nextAfter(now));
  }

  return { stop: eachMinute(look) };
}
