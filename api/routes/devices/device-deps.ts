/** The dependencies of the devices' routes. */
import type { CommonDeps } from '../../../runtime/common-deps.ts';
import type { ChangesHub } from '../../changes/changes-hub.ts';
import type { Frames } from './frames.ts';

export interface DeviceDeps extends Pick<CommonDeps, 'db' | 'clock' | 'random'> {
  readonly frames: Frames;
  /** Tells open streams what changed. */
  readonly changes: Pick<ChangesHub, 'subscribe' | 'left'>;
  /** How many claims an organization may have open, and after how many days one ends. */
  readonly claims: { readonly most: number; readonly days: number };
  /** Wakes the delivery line, which may have something to do; called after the transaction. */
  nudge(): void;
}
