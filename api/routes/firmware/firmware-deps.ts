/** The dependencies of the firmware's routes. */
import type { Rollout, RolloutOptions } from '../../../gateway/firmware/rollouts.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { Database } from '../../../runtime/database.ts';

export interface FirmwareRouteDeps {
  readonly db: Database;
  readonly clock: Clock;
  /** Starts a rollout of an image that the operator has added. */
  readonly rollOut: (wish: RolloutOptions) => Promise<Rollout>;
}
