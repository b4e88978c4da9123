/** Whether a frame is there: pure functions of what was recorded, and of now. */
import { panelOfKind } from '../../firmware-protocol/panels.ts';
import { effectiveSleepSeconds, type WakeReason } from '../../firmware-protocol/sleep.ts';
import { criticalBatteryMv } from './battery.ts';
import type { FrameRow } from './registry.ts';

/** Seconds on the air besides the panel's refresh: Wi-Fi, two TLS connections, two downloads. */
const radioSeconds = 15;

/** Silence past the expected wake that is still no trouble: the larger of a minute and a tenth of the sleep. */
export function graceMs(frame: Pick<FrameRow, 'asleep_until' | 'last_contact_at'>): number {
  const sleepMs = Math.max(0, (frame.asleep_until ?? 0) - (frame.last_contact_at ?? 0));
  // Whole milliseconds: the column that keeps what follows from it takes integers only.
  return Math.max(60_000, Math.ceil(sleepMs / 10));
}

/** `online`, `offline` or `error` by A-12. `contested` is whether two claim its identity. */
export function frameStatus(
  frame: Pick<FrameRow, 'last_failure' | 'battery_mv' | 'last_contact_at' | 'asleep_until'>,
  connected: boolean,
  now: number,
  contested = false,
): 'online' | 'offline' | 'error' {
  if (contested) return 'error';
  if (frame.last_failure !== null) return 'error';
  if (frame.battery_mv !== null && frame.battery_mv > 0 && frame.battery_mv < criticalBatteryMv) return 'error';
  if (connected) return 'online';
  if (frame.last_contact_at === null || frame.asleep_until === null) return 'offline';
  return now <= frame.asleep_until + graceMs(frame) ? 'online' : 'offline';
}

/** When a classic frame that was just answered will be back: its sleep comes on top of what it now does (W-29). */
export function classicAsleepUntil(answered: {
  frame: Pick<FrameRow, 'kind' | 'last_full_wake_at'>;
  wake: WakeReason;
  timeoutSeconds: number;
  storedTimeoutSeconds: number | undefined;
  hasNewPicture: boolean;
  now: number;
}): number {
  const { frame, now } = answered;
  const sleepSeconds = effectiveSleepSeconds({
    wake: answered.wake,
    timeoutSeconds: answered.timeoutSeconds,
    storedTimeoutSeconds: answered.storedTimeoutSeconds ?? answered.timeoutSeconds,
    secondsSinceFullWake: frame.last_full_wake_at === null ? 0 : (now - frame.last_full_wake_at) / 1000,
  });
  const refreshSeconds = panelOfKind(frame.kind)?.refreshSeconds ?? 45;
  const awakeSeconds = answered.hasNewPicture ? refreshSeconds + radioSeconds : 1;
  return now + Math.round((sleepSeconds + awakeSeconds) * 1000);
}
