/** Threads for work that strangers' texts and pictures take part in: shared fairly, kept for a while, ended when one hangs. */
import { once } from 'node:events';
import { type ResourceLimits, type TransferListItem, Worker } from 'node:worker_threads';
import type { Clock, Timer } from './clock.ts';
import { fairShares, type Sharer } from './fair-shares.ts';
import { limitTime, timedOut } from './limit-time.ts';
import { startedModule, typescriptArgs } from './typescript.mjs';

/** How threads are started and bounded. */
export interface ThreadsOptions {
  /**
   * The module that a thread runs, as its source. It says something when it is loaded, and then answers each
   * `{ number, job }` with `{ number, answer }`.
   */
  readonly program: URL;
  readonly most: number;
  /** The most of them that work for one organization; left out, all of them. */
  readonly ofOne?: number;
  /** The time for one piece of work, milliseconds. The thread of one that takes longer is ended. */
  readonly limitMs: number;
  /** The time for which a thread is kept after its last work, milliseconds. */
  readonly idleMs: number;
  /** Whether an answer is one: a thread that gives another is ended. Left out, every answer is. */
  readonly isAnswer?: (answer: unknown) => boolean;
  readonly resourceLimits?: ResourceLimits;
  /** Starts a thread; a test gives another. */
  readonly start?: () => Worker;
}

/** Why a thread gave no answer. */
export class ThreadFailure extends Error {
  readonly why: 'late' | 'ended' | 'stopped' | 'confused';
  constructor(why: ThreadFailure['why']) {
    super(`a thread gave no answer: ${why}`);
    this.why = why;
  }
}

export interface Threads {
  /**
   * Has a piece of work done when the sharer's turn comes.
   * @throws ThreadFailure
   */
  work(sharer: Sharer, job: unknown, transfer?: readonly TransferListItem[]): Promise<unknown>;
  stop(): Promise<void>;
}

/** The time in which a thread has to be loaded: small machines take seconds, which are not those of its work. */
const loadLimitMs = 30_000;

/** Opens the threads; each is started when a piece of work needs one. */
export function openThreads(clock: Clock, options: ThreadsOptions): Threads {
  const { most, ofOne, limitMs, idleMs, start = () => startWorker(options) } = options;
  const places = fairShares({ atOnce: most, ofOne });
  const all = new Set<Worker>();
  let idle: Worker[] = [];
  let jobs = 0;
  let isStopped = false;
  let ending: Timer | undefined;

  function startThread(): Worker {
    const worker = start();
    all.add(worker);
    // A thread may fail while nobody asks it, of memory for example; `exit` follows.
    worker.on('error', () => {});
    worker.once('exit', () => {
      all.delete(worker);
      idle = idle.filter((one) => one !== worker);
    });
    return worker;
  }

  function takeThread(): { readonly worker: Worker; readonly isNew: boolean } {
    const waiting = idle.pop();
    waiting?.ref();
    return { worker: waiting ?? startThread(), isNew: waiting === undefined };
  }

  function keep(worker: Worker): void {
    worker.unref(); // A thread that waits does not keep the process alive.
    idle.push(worker);
    ending?.cancel();
    ending = clock.after(idleMs, () => {
      for (const one of idle.splice(0)) one.terminate().catch(() => {});
    });
  }

  return {
    work: (sharer, job, transfer = []) =>
      places.run(sharer, async () => {
        if (isStopped) throw new ThreadFailure('stopped');
        const { worker, isNew } = takeThread();
        try {
          if (isNew) await inTime(clock, loadLimitMs, hear(worker));
          const answer = await inTime(clock, limitMs, ask(worker, { number: jobs++, job }, transfer));
          if (options.isAnswer?.(answer) === false) throw new ThreadFailure('confused');
          if (!isStopped) keep(worker);
          return answer;
        } catch (error) {
          await worker.terminate();
          throw isStopped ? new ThreadFailure('stopped') : error;
        }
      }),
    async stop() {
      isStopped = true;
      ending?.cancel();
      await Promise.all([...all].map((worker) => worker.terminate()));
    },
  };
}

function startWorker({ program, resourceLimits }: ThreadsOptions): Worker {
  const own = { env: {}, execArgv: [...typescriptArgs] };
  return new Worker(startedModule(program), { ...own, ...(resourceLimits && { resourceLimits }) });
}

async function inTime(clock: Clock, ms: number, work: Promise<unknown>): Promise<unknown> {
  const done = await limitTime(clock, ms, work);
  if (done === timedOut) throw new ThreadFailure('late');
  return done;
}

/** Gives a numbered piece of work to a thread. */
async function ask(
  worker: Worker,
  work: { readonly number: number; readonly job: unknown },
  transfer: readonly TransferListItem[],
): Promise<unknown> {
  const said = await hear(worker, () => worker.postMessage(work, transfer));
  // An answer that comes late, or twice, belongs to other work.
  const isAnswer = typeof said === 'object' && said !== null && 'number' in said && 'answer' in said;
  if (!isAnswer || said.number !== work.number) throw new ThreadFailure('confused');
  return said.answer;
}

/** Returns what a thread says next. */
async function hear(worker: Worker, begin?: () => void): Promise<unknown> {
  const done = new AbortController();
  // `once` also rejects on the thread's own 'error'; an exit without one must not leave the caller waiting.
  const heard = once(worker, 'message', { signal: done.signal }) as Promise<[unknown]>;
  const failed = ['exit', 'messageerror'].map((event) =>
    once(worker, event, { signal: done.signal }).then((): never => {
      throw new ThreadFailure('ended');
    }),
  );
  for (const one of [heard, ...failed]) one.catch(() => {});
  try {
    begin?.();
    const [said] = await Promise.race([heard, ...failed]);
    return said;
  } catch {
    throw new ThreadFailure('ended');
  } finally {
    done.abort();
  }
}
