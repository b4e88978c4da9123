/** The simulated frames that this service plays, by its settings. */
import type { Logger } from '../../../runtime/logger.ts';
import type { PlayFrame } from '../../simulated/frame-player.ts';
import { type SimulatedFleet, simulatedFleet } from '../../simulated/keep-playing.ts';
import type { ServiceContext } from '../open/service-context.ts';
import type { Settings } from '../settings/settings.ts';

interface PlayingParts {
  readonly logger: Logger;
  readonly play: PlayFrame | undefined;
}

/** Puts it together; nothing is played before its start, and nothing where the operator switched it off. */
export function simulatedOfService(
  { PAPERGATE_SIMULATED_FRAMES: most }: Settings,
  { db, clock, keys, cluster }: ServiceContext,
  { logger, play }: PlayingParts,
): SimulatedFleet {
  const { single } = cluster;
  return simulatedFleet({ db, clock, logger, single, sealKey: keys.seal, play: most === 0 ? undefined : play });
}
