/** Works that wait for SQLite's one writer share its next commit: a commit is an fsync, however many rows it makes durable. */
import type { Knex } from 'knex';

/** Works in one commit. More only make the first of them wait. */
export const mostWorks = 64;
/**
 * Turns of the event loop in which a commit gathers works. When there is nothing to do they take no time; in a storm
 * every turn brings more frames, and one transaction for all of them spares most of its cost.
 */
const gatherTurns = 8;
/** Turns that a work waits for which nobody waits: long enough to ride along with another in a storm. */
const patientTurns = 64;

let turns = 0;

/** Turns that works of this process have waited for company so far: it grows while a commit is still to come. */
export const turnsGathered = (): number => turns;

type Work<Result> = (trx: Knex.Transaction) => Promise<Result>;

interface Waiting {
  readonly work: Work<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Makes the queue of one database.
 * @param alone runs one work in a transaction of its own
 * @returns runs a work together with those that wait with it, one after the other; resolves when it is committed. When
 * one of them fails nothing of any has happened, and each runs again alone: works keep their effects inside.
 */
export function groupCommits(
  db: Knex,
  alone: <Result>(work: Work<Result>) => Promise<Result>,
): <Result>(work: Work<Result>, patient?: boolean) => Promise<Result> {
  let waiting: Waiting[] = [];
  let running = false;
  let turnsLeft = 0;

  async function runGroup(): Promise<void> {
    const taken: Waiting[] = [];
    const results: unknown[] = [];
    try {
      await db.transaction(async (trx) => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          taken.push(next);
          results.push(await next.work(trx));
          if (taken.length === mostWorks) return;
        }
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
    turns++;
    if (turnsLeft-- > 0 && waiting.length < mostWorks) setImmediate(gather);
    else void runGroup().then(goOn);
  }

  function goOn(): void {
    running = waiting.length > 0;
    turnsLeft = gatherTurns;
    if (running) gather();
  }

  return <Result>(work: Work<Result>, patient = false) =>
    new Promise<Result>((resolve, reject) => {
      waiting.push({ work, resolve: resolve as (result: unknown) => void, reject });
      const most = patient ? patientTurns : gatherTurns;
      turnsLeft = running ? Math.min(turnsLeft, most) : most;
      if (running) return;
      running = true;
      gather();
    });
}
