/** The wall's record of a service and its level: kept in rounds, by one of its processes. */
import { LeaseLost } from '../../../cluster/cluster.ts';
import type { Logger } from '../../../runtime/logger.ts';
import { inRounds } from '../../../runtime/rounds.ts';
import { signDays } from '../../record/day-roots.ts';
import { recordWall } from '../../record/keep-record.ts';
import { countLevelDays } from '../../service-level/count-level-days.ts';
import type { ServiceContext } from '../open/service-context.ts';
import type { Core } from './core.ts';

/** The pause between two looks at what frames have shown. */
const lookMs = 60_000;
/** Every so many looks pictures in time are counted. */
const looksToCount = 5;

/** The keeping of the record, while the service runs. */
export interface WallKeeper {
  start(): void;
  /** Looks at once, with everything that a later look would do. */
  look(): Promise<void>;
  stop(): Promise<void>;
}

/** Composes the keeping. */
export function recordOfService(
  { db, clock, random, keys, dataFolder, cluster }: ServiceContext,
  { logger, core }: { readonly logger: Logger; readonly core: Pick<Core, 'gateway'> },
): WallKeeper {
  const { single } = cluster;
  const deps = { db, clock, random, single, dataFolder, sealKey: keys.seal, traitsOf: core.gateway.traitsOf };
  let looks = 0;

  async function round(isWhole: boolean): Promise<void> {
    if (!single.isOurs()) return;
    try {
      await recordWall(deps);
      await signDays(deps);
      if (isWhole || looks++ % looksToCount === 0) await countLevelDays(deps);
    } catch (error) {
      if (!(error instanceof LeaseLost))
        logger.error({ error }, "the wall's record was not kept; it is tried again soon");
    }
  }

  const rounds = inRounds(clock, lookMs, () => round(false));
  return { start: rounds.start, look: () => round(true), stop: rounds.stop };
}
