/** The dependencies of the devices' routes. */
import type { Clock } from '../../../runtime/clock.ts';
import type { Database } from '../../../runtime/database.ts';
import type { Random } from '../../../runtime/random.ts';
import type { ChangesHub } from '../../changes/changes-hub.ts';
import type { Frames } from './frames.ts';

export interface DeviceDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly frames: Frames;
  /** Tells open streams what changed. */
  readonly changes: Pick<ChangesHub, 'subscribe' | 'left'>;
  /** How many claims an organization may have open, and after how many days one ends. */
  readonly claims: { readonly most: number; readonly days: number };
  /** Wakes the delivery line, which may have something to do; called after the transaction. */
  nudge(): void;
}
