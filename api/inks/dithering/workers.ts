/** A few threads that dither, so that a picture never holds up a request. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import type { Clock, Timer } from '../../../runtime/clock.ts';
import { fairShares, type Sharer } from '../../../runtime/fair-shares.ts';
import { limitTime, timedOut } from '../../../runtime/limit-time.ts';
import { startedModule, typescriptArgs } from '../../../runtime/typescript.mjs';
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

/** The answer of a thread: the file of the job with this number. */
const reply = z.strictObject({ number: z.int(), file: z.instanceof(Uint8Array<ArrayBufferLike>) });

/**
 * Threads that dither, shared fairly (T-60). `dither` gives the panel's packed file and takes the pixels away from the
 * caller; `stop` ends the threads, later jobs fail.
 */
export interface DitherWorkers {
  dither(sharer: Sharer, job: DitherJob): Promise<Uint8Array>;
  stop(): Promise<void>;
}

const startWorker = (): Worker =>
  new Worker(startedModule(new URL('./worker.ts', import.meta.url)), { execArgv: [...typescriptArgs] });

/** Creates the threads' owner; a thread is started when a job needs one, and at most `most`. One that hangs is ended. */
export function createDitherWorkers(clock: Clock, most: number, start: () => Worker = startWorker): DitherWorkers {
  const places = fairShares({ atOnce: most });
  const all = new Set<Worker>();
  const idle: Worker[] = [];
  let jobs = 0;
  let stopped = false;
  let ending: Timer | undefined;

  function takeWorker(): Worker {
    const waiting = idle.pop();
    if (waiting !== undefined) {
      waiting.ref();
      return waiting;
    }
    const worker = start();
    all.add(worker);
    // A thread may fail while nobody asks it, of memory for example; `exit` follows.
    worker.on('error', () => {});
    worker.once('exit', () => {
      all.delete(worker);
      const place = idle.indexOf(worker);
      if (place >= 0) idle.splice(place, 1);
    });
    return worker;
  }

  function endIdle(): void {
    for (const worker of idle.splice(0)) worker.terminate().catch(() => {});
  }

  return {
    dither: (sharer, job) =>
      places.run(sharer, async () => {
        if (stopped) throw new Error('the dithering threads were stopped');
        const worker = takeWorker();
        const file = await limitTime(clock, limitMs, ask(worker, jobs++, job));
        if (file === timedOut) {
          await worker.terminate();
          throw new Error(`dithering took longer than ${limitMs / 1000} s`);
        }
        worker.unref(); // An idle thread does not keep the process alive.
        idle.push(worker);
        ending?.cancel();
        ending = clock.after(idleMs, endIdle);
        return file;
      }),
    async stop() {
      stopped = true;
      ending?.cancel();
      await Promise.all([...all].map((worker) => worker.terminate()));
    },
  };
}

/** Gives a job with its number to a thread. One that fails at it, or answers with something else, is ended. */
async function ask(worker: Worker, number: number, job: DitherJob): Promise<Uint8Array> {
  const done = new AbortController();
  // `once` also rejects on the worker's own 'error'; an exit without one (stop) must not leave the caller waiting.
  const answer = once(worker, 'message', { signal: done.signal }) as Promise<[unknown]>;
  const failed = ['exit', 'messageerror'].map((event) =>
    once(worker, event, { signal: done.signal }).then((): never => {
      throw new Error('the dithering thread ended before it answered');
    }),
  );
  for (const one of failed) one.catch(() => {});
  worker.postMessage({ number, job }, [job.rgb.buffer as ArrayBuffer]);
  try {
    const [said] = await Promise.race([answer, ...failed]);
    const read = reply.safeParse(said);
    // An answer that comes late, or twice, is another job's.
    if (read.success && read.data.number === number) return read.data.file;
    throw new Error('the dithering thread answered with something else than the file');
  } catch (error) {
    await worker.terminate();
    throw error;
  } finally {
    done.abort();
    answer.catch(() => {});
  }
}
