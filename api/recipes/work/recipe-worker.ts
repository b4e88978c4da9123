/** Works on recipes in a thread of its own, which its host ends when a piece of work takes long. */
import { parentPort } from 'node:worker_threads';
import { systemClock } from '../../../runtime/clock.ts';
import { systemRandom } from '../../../runtime/random.ts';
import { doRecipeJob, type RecipeJob } from './recipe-jobs.ts';

/**
 * Every piece of work begins without anything of those before it: each has its own engine, and nothing can be added to what
 * all objects have in common.
 */
for (const { prototype } of [Object, Array, Function, String, Number, RegExp, Error, Map, Set, Promise]) {
  Object.preventExtensions(prototype);
}

const machine = { clock: systemClock, random: systemRandom(systemClock).jitter };

parentPort?.on('message', ({ number, job }: { readonly number: number; readonly job: RecipeJob }) => {
  doRecipeJob(job, machine).then(
    (done) => parentPort?.postMessage({ number, answer: { done } }),
    (error: unknown) => {
      const failed = error instanceof Error ? error.message.slice(0, 300) : 'it failed';
      parentPort?.postMessage({ number, answer: { failed } });
    },
  );
});
parentPort?.postMessage('loaded');
