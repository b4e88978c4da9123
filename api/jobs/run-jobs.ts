/** Works on all jobs, on one of several nodes. When it is killed, another one goes on within seconds. */
import { LeaseLost, type SingleTask } from '../../cluster/cluster.ts';
import { inBackground } from '../../runtime/in-background.ts';
import { inRounds } from '../../runtime/rounds.ts';
import type { JobDeps } from './job-deps.ts';
import { jobStore } from './job-store.ts';
import { runJob } from './run-job.ts';
import { shareDrawing } from './share-drawing.ts';

/** Time between two looks for what is to be done. */
const roundMs = 2_000;
/** Time between two looks for frames that joined a group. */
const beforeMs = 10_000;
/** Time between two looks for proofs: one reads the facts of all frames that were given a change. */
const proveMs = 10_000;

export interface JobRunnerDeps extends JobDeps {
  readonly single: SingleTask;
  /** Work that is to be done before jobs from time to time: finding frames that joined a group. */
  readonly before?: () => Promise<void>;
}

/** The worker of jobs. */
export interface JobRunner {
  start(): void;
  /** Looks at once: a job was made, or steered. */
  nudge(): void;
  /** Does everything that can be done right now, as its rounds do. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

/** Composes it; nothing is worked on before `start`. */
export function jobRunner(given: JobRunnerDeps): JobRunner {
  const preparePicture = shareDrawing(given.rendering.preparePicture);
  const deps: JobRunnerDeps = { ...given, rendering: { ...given.rendering, preparePicture } };
  const { db, clock, logger, single } = deps;
  const provenAt = new Map<string, number>();
  let isRunning = false;
  let lookedAt = 0;
  let last: Promise<void> = Promise.resolve();

  /** One pass over every live job; true when more could be done at once. */
  async function pass(isAll: boolean): Promise<boolean> {
    let more = false;
    const live = await jobStore(db).live();
    for (const id of provenAt.keys()) if (!live.some((job) => job.id === id)) provenAt.delete(id);
    for (const job of live) {
      const isProving = isAll || clock.now() - (provenAt.get(job.id) ?? 0) >= proveMs;
      if (isProving) provenAt.set(job.id, clock.now());
      // One that cannot be worked on keeps no other from it.
      const goesOn = await runJob(deps, job, isProving).catch((error: unknown) => logFailed(logger, error, job.id));
      more ||= goesOn;
      if (goesOn) deps.nudge();
    }
    return more;
  }

  async function look(): Promise<void> {
    if (!isRunning || !single.isOurs()) return;
    if (clock.now() - lookedAt >= beforeMs) {
      lookedAt = clock.now();
      await deps.before?.();
    }
    while (isRunning && single.isOurs() && (await pass(false)));
  }

  /** Rounds and nudges follow each other. */
  const lookNext = (): Promise<void> => {
    last = last.then(look).catch((error: unknown) => {
      logFailed(logger, error);
    });
    return last;
  };
  const nudge = (): void => {
    if (isRunning) inBackground(logger, 'work on jobs', lookNext);
  };
  const rounds = inRounds(clock, roundMs, lookNext);
  single.whenOurs(nudge);
  return {
    start() {
      isRunning = true;
      nudge();
      rounds.start();
    },
    nudge,
    async settle() {
      await deps.before?.();
      while (await pass(true));
    },
    async stop() {
      isRunning = false;
      await rounds.stop();
      await last;
    },
  };
}

/** Logs that work on a job, or on all of them, failed; one that another node took over has not. */
function logFailed(logger: JobRunnerDeps['logger'], error: unknown, job?: string): false {
  if (!(error instanceof LeaseLost)) {
    logger.error({ error, ...(job !== undefined && { job }) }, 'a job was not worked on');
  }
  return false;
}
