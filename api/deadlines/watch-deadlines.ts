/**
 * The watch over deadlines: looks at what a report or a change touches, and at what time alone may have changed. Each look
 * judges from rows again, so that one which broke off is made up for by the next.
 */
import { LeaseLost } from '../../cluster/cluster.ts';
import type { Timer } from '../../runtime/clock.ts';
import type { OccurrenceRow } from './deadline-rows.ts';
import { type DeadlineWatchDeps, framesOf, judgeOccurrences, lookAtDeadlines } from './look-at-deadlines.ts';

/** A change: a frame reported something, or anything else. */
export interface DeadlineNews {
  readonly reported?: string;
}

/** The running watch. */
export interface DeadlineWatch {
  start(): void;
  /** Notifies the watch that something changed, so that it looks now. */
  nudge(news?: DeadlineNews): void;
  /** Looks at the days of one deadline at once, for the caller who has just made it; and at frames that it is no longer about. */
  look(deadlineId: string, frames?: readonly string[]): Promise<void>;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

/** Time after which the watch looks without having been asked to. */
const sweepMs = 30_000;
/** Composes the watch. */
export function watchDeadlines(deps: DeadlineWatchDeps): DeadlineWatch {
  const { logger, drain } = deps;
  let reported = new Set<string>();
  let [everything, isRunning, hasOpen] = [false, false, false];
  let pass: Promise<void> | undefined;
  const timers = watchTimers(deps, () => nudge());

  async function runPasses(): Promise<void> {
    while (isRunning && (everything || reported.size > 0)) {
      const scope = { reported: [...reported], everything };
      [reported, everything] = [new Set(), false];
      try {
        const seen = await lookAtDeadlines(deps, scope);
        hasOpen = seen.hasOpen;
        if (seen.isMore) everything = true;
        timers.planNext(seen.nextAt);
      } catch (error) {
        if (!(error instanceof LeaseLost))
          logger.error({ error }, 'a look at deadlines failed; the next one comes soon');
      }
    }
    pass = undefined;
  }

  function nudge(news: DeadlineNews = {}): void {
    if (news.reported === undefined) everything = true;
    // A fleet without deadlines pays nothing for its reports.
    else if (hasOpen) reported.add(news.reported);
    // A run with nothing to do would be over before it is known.
    if (isRunning && (everything || reported.size > 0)) pass ??= runPasses();
  }

  return {
    start() {
      isRunning = true;
      timers.sweep();
    },
    nudge,
    async look(deadlineId, frames = []) {
      const seen = await lookAtOne(deps, deadlineId, frames);
      hasOpen ||= seen.hasOpen;
      // The other deadlines of their frames need wakes, too.
      for (const serial of seen.frames) reported.add(serial);
      nudge();
    },
    async idle() {
      do {
        await pass;
        await drain.idle();
      } while (pass !== undefined);
    },
    async stop() {
      isRunning = false;
      timers.stop();
      await pass;
      await drain.stop();
    },
  };
}

/** Judges the open days of one deadline. @returns its frames, and those that were named */
async function lookAtOne(
  deps: DeadlineWatchDeps,
  deadlineId: string,
  frames: readonly string[],
): Promise<{ readonly frames: ReadonlySet<string>; readonly hasOpen: boolean }> {
  const rows: OccurrenceRow[] = await deps
    .db<OccurrenceRow>('deadline_occurrences')
    .where({ deadline_id: deadlineId })
    .whereNotNull('due_at');
  await judgeOccurrences(deps, rows, frames);
  const own = await framesOf(deps, new Set(rows.map(({ id }) => id)));
  return { frames: new Set([...frames, ...own]), hasOpen: rows.length > 0 };
}

/** The timers of the watch: its sweep, and the next moment that arithmetic names before it. */
function watchTimers({ clock, single }: Pick<DeadlineWatchDeps, 'clock' | 'single'>, nudge: () => void) {
  let [sweeping, next]: [Timer | undefined, Timer | undefined] = [undefined, undefined];
  function sweep(): void {
    nudge();
    sweeping = clock.after(sweepMs, sweep);
  }
  return {
    sweep,
    planNext(at: number): void {
      next?.cancel();
      const waitMs = at - clock.now();
      if (single.isOurs() && waitMs < sweepMs) next = clock.after(Math.max(1, waitMs), nudge);
    },
    stop(): void {
      sweeping?.cancel();
      next?.cancel();
    },
  };
}
