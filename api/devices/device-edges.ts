/** What the devices need from outside. */
import type { Clock } from '../../gateway/runtime/clock.ts';
import type { Database } from '../../gateway/runtime/database.ts';
import type { Random } from '../../gateway/runtime/random.ts';
import type { Frames } from './frames.ts';

export interface DeviceEdges {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: Random;
  readonly frames: Frames;
  /** Says that delivery may have something to do; called after the transaction. */
  nudge(): void;
}
