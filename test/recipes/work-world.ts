/** Threads that work on recipes, and pieces of work for them in a few lines. */
import type { PageJob } from '../../api/recipes/work/recipe-jobs.ts';
import { type RecipeThreads, recipeThreads, type WorkOutcome } from '../../api/recipes/work/recipe-threads.ts';
import { wordsOf } from '../../reasons/words.ts';
import { systemClock } from '../../runtime/clock.ts';

const now = Date.UTC(2026, 10, 28, 10, 20, 30);

/** Opens threads for a test, and ends them after it. */
export async function withRecipeThreads(run: (threads: RecipeThreads) => Promise<void>): Promise<void> {
  const threads = recipeThreads(systemClock);
  try {
    await run(threads);
  } finally {
    await threads.stop();
  }
}

/** Returns the work of making a page of markup and data. */
export const pageJob = (markup: string, data: unknown = {}): PageJob => ({
  do: 'page',
  markup,
  settings: { strategy: 'static', isDark: false, isWithoutPadding: false },
  data: JSON.stringify(data),
  values: {},
  layout: 'full',
  surroundings: {
    now,
    timeZone: 'Europe/Berlin',
    language: 'de',
    paperName: 'Kitchen',
    panel: { width: 800, height: 480 },
  },
});

/** Returns the page, or the sentence about why there is none. */
export function pageOrWords(outcome: WorkOutcome<'page'>): string {
  return outcome.ok ? outcome.done.page : wordsOf(outcome.reason);
}
