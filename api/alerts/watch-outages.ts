import { LeaseLost, type SingleTask } from '../../cluster/cluster.ts';
import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import { inRounds } from '../../runtime/rounds.ts';
import type { Drain } from './drain-notices.ts';
import { findConditions } from './find-conditions.ts';
import { lookAtService, type ServiceLook } from './look-at-service.ts';
import { type OutageKind, outageKinds } from './outage-kinds.ts';
import { recordOutages } from './outages.ts';

/** The interval of the watch. */
export const lookMs = 60_000;

export interface OutageWatchDeps extends ServiceLook, CommonDeps {
  /** Of several nodes one watches. */
  readonly single: SingleTask;
  readonly drain: Drain;
  /** Makes the operator's own channels from the settings. Runs each time this node takes over. */
  readonly setUpChannels: () => Promise<void>;
}

/** The running watch. */
export interface OutageWatch {
  start(): void;
  /** Looks at once; for tests, and for anyone who cannot wait a minute. */
  look(): Promise<void>;
  stop(): Promise<void>;
}

/** The kinds that a look finds by itself, or knows to be gone. */
const seenInRows: readonly OutageKind[] = (Object.keys(outageKinds) as OutageKind[]).filter(
  (kind) => outageKinds[kind].of !== 'service',
);

/** Composes the watch. */
export function watchOutages(deps: OutageWatchDeps): OutageWatch {
  const { db, clock, logger, single } = deps;
  const findOwn = lookAtService(deps);
  let isSetUp = false;
  let passing: Promise<void> = Promise.resolve();
  single.whenOurs(() => {
    isSetUp = false;
  });

  async function pass(): Promise<void> {
    if (!single.isOurs()) return;
    if (!isSetUp) await deps.setUpChannels();
    isSetUp = true;
    const now = clock.now();
    const own = await findOwn(now);
    const found = [...own.found, ...(await findConditions(db, now))];
    await recordOutages(deps, found, new Set([...own.looked, ...seenInRows]));
    await deps.drain.drain();
  }

  function look(): Promise<void> {
    passing = passing.then(pass).catch((error: unknown) => {
      if (!(error instanceof LeaseLost)) logger.error({ error }, 'the watch over outages failed; it looks again soon');
    });
    return passing;
  }

  const rounds = inRounds(clock, lookMs, look);
  return {
    start: rounds.start,
    look,
    async stop() {
      await rounds.stop();
      await passing;
      await deps.drain.stop();
    },
  };
}
