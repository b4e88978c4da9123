/**
 * Group commit for SQLite: work that waits for the one writer shares a commit, which costs one fsync however many rows
 * it has.
 */
import type { Knex } from 'knex';
import { beginAndRun, outlastLock } from './database-lock.ts';

/** The most work in one commit. More would only make the first of it wait. */
export const maxWorks = 64;
/**
 * The iterations of the event loop in which a commit gathers work. They take no time when there is nothing to do; when
 * many frames wake at once every iteration brings more of them, and one transaction for all saves most of the cost.
 */
const gatherIterations = 8;
/**
 * How many iterations low-priority work waits, for which nobody waits: under load that is long enough to share a commit
 * with other work.
 */
const patientIterations = 64;

let iterations = 0;

/**
 * Returns the iterations that commits of this process have gathered work in so far; it grows while a commit is still to
 * come.
 */
export const iterationsGathered = (): number => iterations;

type Work<Result> = (trx: Knex.Transaction) => Promise<Result>;

interface Waiting {
  readonly work: Work<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Makes the queue of one database.
 * @param alone runs work in a transaction of its own
 * @param mostIterations the iterations in which a commit gathers at most; one is enough where nothing comes from outside of the process
 * @returns a function that runs work together with other work that waits, one after the other, and resolves when it is
 * committed. When one of them fails, none had an effect, and each runs again alone: work must have no other effects.
 */
export function groupCommits(
  db: Knex,
  alone: <Result>(work: Work<Result>) => Promise<Result>,
  mostIterations = Number.POSITIVE_INFINITY,
): <Result>(work: Work<Result>, patient?: boolean) => Promise<Result> {
  let waiting: Waiting[] = [];
  let running = false;
  let iterationsLeft = 0;

  async function runGroup(): Promise<void> {
    const taken: Waiting[] = [];
    const results: unknown[] = [];
    const runWaiting = async (trx: Knex.Transaction): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        taken.push(next);
        results.push(await next.work(trx));
        if (taken.length === maxWorks) return;
      }
    };
    try {
      // Work that comes while another process has the lock joins this commit.
      await outlastLock(() => {
        waiting.unshift(...taken.splice(0));
        results.length = 0;
        return beginAndRun(db, runWaiting);
      });
    } catch (error) {
      if (taken.length === 0) {
        const stranded = waiting;
        waiting = [];
        for (const { reject } of stranded) reject(error);
        return;
      }
      for (const { work, resolve, reject } of taken) await alone(work).then(resolve, reject);
      return;
    }
    for (const [at, { resolve }] of taken.entries()) resolve(results[at]);
  }

  function gather(): void {
    iterations++;
    if (iterationsLeft-- > 0 && waiting.length < maxWorks) setImmediate(gather);
    else runGroup().then(goOn, goOn);
  }

  function goOn(): void {
    running = waiting.length > 0;
    iterationsLeft = Math.min(gatherIterations, mostIterations);
    if (running) gather();
  }

  return <Result>(work: Work<Result>, patient = false) =>
    new Promise<Result>((resolve, reject) => {
      waiting.push({ work, resolve: resolve as (result: unknown) => void, reject });
      const most = Math.min(patient ? patientIterations : gatherIterations, mostIterations);
      iterationsLeft = running ? Math.min(iterationsLeft, most) : most;
      if (running) return;
      running = true;
      gather();
    });
}
