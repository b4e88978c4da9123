/** Works on recipes in a thread of its own, which its host ends when a piece of work takes long. */
import { parentPort } from 'node:worker_threads';
import { systemClock } from '../../../runtime/clock.ts';
import { systemRandom } from '../../../runtime/random.ts';
import { doRecipeJob, type RecipeJob } from './recipe-jobs.ts';

/**
 * Every piece of work begins without anything of those before it: engines are made again, and nothing can be added to what
 * all objects have in common.
 */
for (const { prototype } of [Object, Array, Function, String, Number, RegExp, Error, Map, Set, Promise]) {
  Object.preventExtensions(prototype);
}

const machine = { clock: systemClock, random: systemRandom(systemClock).jitter };

parentPort?.on('message', async ({ number, job }: { readonly number: number; readonly job: RecipeJob }) => {
  try {
    parentPort?.postMessage({ number, answer: { done: await doRecipeJob(job, machine) } });
  } catch (error) {
    const failed = error instanceof Error ? error.message.slice(0, 300) : 'it failed';
    parentPort?.postMessage({ number, answer: { failed } });
  }
});
parentPort?.postMessage('loaded');
