/** A few threads that dither, so that a picture never holds up a request. */
import type { Worker } from 'node:worker_threads';
import type { Clock } from '../../../runtime/clock.ts';
import type { Sharer } from '../../../runtime/fair-shares.ts';
import { openThreads } from '../../../runtime/threads.ts';
import type { DitherJob } from './fit-file.ts';

/**
 * The time limit of a job. A large picture takes a tenth of a second, and some seconds on the slowest of machines: a
 * job that takes this long never ends.
 */
const limitMs = 60_000;
/**
 * The time for which threads are kept for the next picture: each holds the tables and pixels of its last ones, and memory
 * comes back within a minute of a load (T-96).
 */
const idleMs = 30_000;

/**
 * Threads that dither, shared fairly (T-60). `dither` gives the panel's packed file and takes the pixels away from the
 * caller; `stop` ends the threads, later jobs fail.
 */
export interface DitherWorkers {
  dither(sharer: Sharer, job: DitherJob): Promise<Uint8Array>;
  stop(): Promise<void>;
}

const isFile = (answer: unknown): answer is Uint8Array => answer instanceof Uint8Array;

/** Creates the threads' owner; a thread is started when a job needs one, and at most `most`. One that hangs is ended. */
export function createDitherWorkers(clock: Clock, most: number, start?: () => Worker): DitherWorkers {
  const program = new URL('./worker.ts', import.meta.url);
  const threads = openThreads(clock, { program, most, limitMs, idleMs, isAnswer: isFile, ...(start && { start }) });
  return {
    dither: async (sharer, job) => (await threads.work(sharer, job, [job.rgb.buffer as ArrayBuffer])) as Uint8Array,
    stop: () => threads.stop(),
  };
}
