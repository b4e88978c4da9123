/** Works on recipes in a thread of its own, which its host ends when a piece of work takes long. */
import { parentPort } from 'node:worker_threads';
import { doRecipeJob, type RecipeJob } from './recipe-jobs.ts';

parentPort?.on('message', async (job: RecipeJob) => {
  try {
    parentPort?.postMessage({ done: await doRecipeJob(job) });
  } catch (error) {
    parentPort?.postMessage({ failed: error instanceof Error ? error.message.slice(0, 500) : 'it failed' });
  }
});
