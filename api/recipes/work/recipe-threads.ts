/** The threads in which recipes are worked on: a piece of work that takes long is ended with its thread. */
import { type Reason, reasonOf } from '../../../reasons/reason.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { Sharer } from '../../../runtime/fair-shares.ts';
import { openThreads, ThreadFailure, type Threads } from '../../../runtime/threads.ts';
import type { RecipeDone, RecipeJob } from './recipe-jobs.ts';

/** The bounds of a piece of work (RC-92). The engine's own bounds end most of what is too much before. */
const limitMs = 5_000;
const idleMs = 30_000;
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 } as const;

/** A piece of work that is over, or why there is nothing. */
export type WorkOutcome<Kind extends RecipeJob['do']> =
  | { readonly ok: true; readonly done: RecipeDone[Kind] }
  | { readonly ok: false; readonly reason: Reason };

export interface RecipeThreads {
  /** Has a piece of work done when the sharer's turn comes. Failures are reasons. */
  work<Job extends RecipeJob>(sharer: Sharer, job: Job): Promise<WorkOutcome<Job['do']>>;
  stop(): Promise<void>;
}

/** One is always there for the others, whatever an organization has worked on. */
const places = { most: 2, ofOne: 1 } as const;

/** Opens the threads. Each works for one organization alone. */
export function recipeThreads(clock: Clock): RecipeThreads {
  const program = new URL('./recipe-worker.ts', import.meta.url);
  const threads: Threads = openThreads(clock, { program, ...places, limitMs, idleMs, resourceLimits, isPrivate: true });
  return {
    async work<Job extends RecipeJob>(sharer: Sharer, job: Job): Promise<WorkOutcome<Job['do']>> {
      try {
        const answer = (await threads.work(sharer, job)) as { done: RecipeDone[Job['do']] } | { failed: string };
        if ('done' in answer) return { ok: true, done: answer.done };
        return { ok: false, reason: reasonOf('recipe-failed', { error: answer.failed }) };
      } catch (error) {
        if (!(error instanceof ThreadFailure) || error.why === 'stopped') throw error;
        return error.why === 'late'
          ? { ok: false, reason: reasonOf('recipe-late', { seconds: limitMs / 1_000 }) }
          : { ok: false, reason: reasonOf('recipe-failed', { error: 'it needs too much memory' }) };
      }
    },
    stop: () => threads.stop(),
  };
}
