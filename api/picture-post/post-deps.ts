import type { CommonDeps } from '../../runtime/database/common-deps.ts';
import type { SealingDeps } from '../uploads/store-picture.ts';

/** The rows behind mailbox and bot, and the road that pictures take into albums. */
export interface PostDeps extends Pick<CommonDeps, 'db' | 'clock' | 'random' | 'logger'> {
  readonly sealing: SealingDeps;
  /** Ends what is under way when the service stops. */
  readonly signal: AbortSignal;
  /** Wakes the delivery line, after pictures were stored. */
  readonly nudgeLine: () => void;
}
