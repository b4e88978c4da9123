import type { Rollout, RolloutOptions } from '../../../gateway/firmware/rollouts.ts';
import type { CommonDeps } from '../../../runtime/database/common-deps.ts';

export interface FirmwareRouteDeps extends Pick<CommonDeps, 'db' | 'clock'> {
  /** Starts a rollout of an image that the operator has added. */
  readonly rollOut: (options: RolloutOptions) => Promise<Rollout>;
}
