/** The presence of a frame: pure functions of its recorded state and the present time. */
import { panelOfKind } from '../../firmware-protocol/panels.ts';
import { effectiveSleepSeconds, type WakeReason } from '../../firmware-protocol/sleep.ts';
import { cellsOf } from './battery.ts';
import type { FrameRow } from './registry.ts';

/** Seconds that a frame is on the air besides the panel's refresh: Wi-Fi, two TLS connections, two downloads. */
const radioSeconds = 15;

/** The silence after the expected wake that is not yet an outage: the larger of a minute and a tenth of the sleep. */
export function graceMs(frame: Pick<FrameRow, 'asleep_until' | 'last_contact_at'>): number {
  const sleepMs = Math.max(0, (frame.asleep_until ?? 0) - (frame.last_contact_at ?? 0));
  // The result is in whole milliseconds, because the column of the due time takes integers only.
  return Math.max(60_000, Math.ceil(sleepMs / 10));
}

/** The status of a frame. `identityConflict` is true while two devices claim its identity. */
export function frameStatus(
  frame: Pick<FrameRow, 'serial' | 'last_failure' | 'battery_mv' | 'last_contact_at' | 'asleep_until'>,
  connected: boolean,
  now: number,
  identityConflict = false,
): 'online' | 'offline' | 'error' {
  if (identityConflict) return 'error';
  if (frame.last_failure !== null) return 'error';
  const { criticalMv } = cellsOf(frame.serial);
  if (frame.battery_mv !== null && frame.battery_mv > 0 && frame.battery_mv < criticalMv) return 'error';
  if (connected) return 'online';
  if (frame.last_contact_at === null || frame.asleep_until === null) return 'offline';
  return now <= frame.asleep_until + graceMs(frame) ? 'online' : 'offline';
}

/**
 * Estimates until when a frame that knows no ping is surely awake, from its last sign of life, epoch milliseconds. It is
 * awake as long as it draws the picture that was announced at this wake, else hardly longer than it is silent between two
 * packets. Its connection proves less, because such a frame falls asleep without closing it (W-26).
 * @param lastSeenAt time of the last packet on its connection; undefined when that is not known
 */
export function awakeUntil(
  frame: Pick<FrameRow, 'kind' | 'last_contact_at' | 'cycle_started_at' | 'cycle_upload'>,
  lastSeenAt = 0,
): number {
  const { last_contact_at, cycle_started_at, cycle_upload } = frame;
  const draws = cycle_upload !== null && last_contact_at === cycle_started_at;
  const seconds = radioSeconds + (draws ? refreshSecondsOf(frame) : 0);
  return Math.max(lastSeenAt, last_contact_at ?? 0) + seconds * 1000;
}

/** Whether a frame is known to be awake, and until when that holds; null as long as the frame itself reports its end. */
export interface Wakefulness {
  readonly awake: boolean;
  readonly awakeUntil: number | null;
}

/**
 * Returns whether a frame is awake right now. A frame that knows commands announces when it falls asleep; of any other
 * it is known when it last spoke, and how long it then stays awake (`awakeUntil`).
 * @param connection the connection it has; undefined when it has none
 */
export function wakefulness(
  frame: Parameters<typeof awakeUntil>[0],
  connection: { readonly awake: boolean; readonly lastSeenAt?: number } | undefined,
  knowsCommands: boolean,
  now: number,
): Wakefulness {
  if (connection === undefined) return { awake: false, awakeUntil: null };
  if (knowsCommands) return { awake: connection.awake, awakeUntil: null };
  const until = awakeUntil(frame, connection.lastSeenAt);
  return now <= until ? { awake: true, awakeUntil: until } : { awake: false, awakeUntil: null };
}

/** Seconds that a frame is reckoned awake after its answer: it draws a new picture, or sleeps at once. */
export function awakeSecondsOf(frame: Pick<FrameRow, 'kind'>, hasNewPicture: boolean): number {
  return hasNewPicture ? refreshSecondsOf(frame) + radioSeconds : 1;
}

function refreshSecondsOf({ kind }: Pick<FrameRow, 'kind'>): number {
  return panelOfKind(kind)?.refreshSeconds ?? 45;
}

/** The seconds that a classic frame sleeps which was just answered, after the work of this wake. */
export function classicSleepSeconds(answered: {
  frame: Pick<FrameRow, 'last_full_wake_at'>;
  wake: WakeReason;
  timeoutSeconds: number;
  storedTimeoutSeconds: number | undefined;
  now: number;
}): number {
  const { frame, now } = answered;
  return effectiveSleepSeconds({
    wake: answered.wake,
    timeoutSeconds: answered.timeoutSeconds,
    storedTimeoutSeconds: answered.storedTimeoutSeconds ?? answered.timeoutSeconds,
    secondsSinceFullWake: frame.last_full_wake_at === null ? 0 : (now - frame.last_full_wake_at) / 1000,
  });
}
