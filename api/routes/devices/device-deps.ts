import type { CommonDeps } from '../../../runtime/database/common-deps.ts';
import type { ChangesHub } from '../../changes/changes-hub.ts';
import type { Frames } from './frames.ts';

export interface DeviceDeps extends Pick<CommonDeps, 'db' | 'clock' | 'random'> {
  readonly frames: Frames;
  /** Sends open streams what changed. */
  readonly changes: Pick<ChangesHub, 'subscribe' | 'left'>;
  /** How many claims an organization may have open, and after how many days one ends. */
  readonly claims: { readonly most: number; readonly days: number };
  /** How many simulated frames the service may have, 0 for none, and what seals their passwords. */
  readonly simulated: { readonly most: number; readonly sealKey: Uint8Array };
  /** Wakes what may have something to do now, the delivery line above all; called after the transaction. */
  nudge(): void;
}
