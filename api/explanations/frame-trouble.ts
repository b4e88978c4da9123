/** Names the worst trouble of a device's frame, as a code for programs to word. */
import { addressOfSerial } from '../../firmware-protocol/trmnl/mac-address.ts';
import { cellsOf } from '../../gateway/frames/battery.ts';
import type { ListedFrame } from '../../gateway/frames/fleet-facts.ts';
import { isConflictOpen } from '../../gateway/frames/identity-conflict.ts';
import { panelTrouble } from '../../gateway/frames/named-panel.ts';
import { graceMs } from '../../gateway/frames/presence.ts';
import type { Reason } from '../../reasons/reason.ts';
import type { SelectedPaper } from '../delivery-state/papers-of-devices.ts';
import type { DeviceRow } from '../devices/store.ts';
import { hasNothingYet } from './why-code.ts';

/** Every code with its level and its meaning, the worst first. */
export const troubleCodes = {
  'identity-doubted': { level: 'alarm', means: 'two devices claim the identity of this frame' },
  'credentials-revoked': { level: 'alarm', means: 'no credentials of the frame are left: it cannot connect' },
  'credentials-expired': { level: 'alarm', means: 'every certificate of the frame has ended: it cannot connect' },
  'wrong-panel': { level: 'alarm', means: 'the frame names another panel than its kind has' },
  'battery-empty': { level: 'alarm', means: 'the battery is nearly empty; the frame hardly connects now' },
  silent: { level: 'alarm', means: 'the frame did not come back when it was expected; since is when it was' },
  'update-failed': { level: 'alarm', means: 'the frame said that its last update went wrong' },
  'picture-not-made': { level: 'alarm', means: 'the picture that is due could not be made' },
  'given-up': { level: 'alarm', means: 'the frame left its owner by a reset or a release, and shows nothing new' },
  'battery-low': { level: 'warning', means: 'the battery is to be charged soon' },
  'credentials-ending': { level: 'warning', means: 'the last certificate of the frame ends within 14 days' },
  'never-connected': { level: 'warning', means: 'the frame was added a day ago and was never heard from' },
} as const;
export type TroubleCode = keyof typeof troubleCodes;

/** A trouble. `since` is epoch milliseconds, null where nobody knows. */
export interface Trouble {
  readonly code: TroubleCode;
  readonly level: 'warning' | 'alarm';
  readonly since: number | null;
  /** The next step, where the frame's firmware asks for another one than the code does. */
  readonly remedy?: Reason | undefined;
}

/** The facts about a frame's connection and pictures. */
interface TroubleFacts {
  readonly connected: boolean;
  /** The time at which the newest offer failed, epoch milliseconds, if it did. */
  readonly failedAt: number | null;
  readonly paper: SelectedPaper | undefined;
  /** The meaning of a silence for its firmware, and what to do. */
  readonly silence?: Reason | undefined;
}

const endsSoonMs = 14 * 86_400_000;
/** A frame that was just added waits to be unpacked and hung: that is not trouble yet. */
const firstContactMs = 86_400_000;

/** Returns the worst trouble, or null when nothing is wrong. */
export function troubleOf(
  frame: ListedFrame,
  device: Pick<DeviceRow, 'kind' | 'created_at'>,
  facts: TroubleFacts,
  now: number,
): Trouble | null {
  const found = judged(frame, device, facts, now);
  for (const code of Object.keys(troubleCodes) as TroubleCode[]) {
    const since = found[code];
    if (since === undefined) continue;
    const remedy = code === 'silent' ? facts.silence : undefined;
    return { code, level: troubleCodes[code].level, since, remedy };
  }
  return null;
}

/** The time since which each trouble lasts; undefined for one that there is not. */
function judged(
  frame: ListedFrame,
  device: Pick<DeviceRow, 'kind' | 'created_at'>,
  { connected, failedAt, paper }: TroubleFacts,
  now: number,
): Partial<Record<TroubleCode, number | null>> {
  const { conflict_since, battery_mv: batteryMv, certificate_end: end, activation } = frame;
  const found: Partial<Record<TroubleCode, number | null>> = {};
  if (conflict_since !== null && isConflictOpen(conflict_since, now)) found['identity-doubted'] = conflict_since;
  const counts = frame.has_password === 1 || (end !== null && end > now);
  // A frame that was adopted has no key until it has come for it.
  const isAwaited = frame.last_contact_at === null && addressOfSerial(frame.serial) !== undefined;
  if (!counts && !isAwaited)
    found[end === null ? 'credentials-revoked' : 'credentials-expired'] = end ?? frame.revoked_at;
  else if (counts && frame.has_password === 0 && end !== null && end < now + endsSoonMs)
    found['credentials-ending'] = null;
  if (panelTrouble(device.kind, frame.panel) !== undefined) found['wrong-panel'] = null;
  if (batteryMv !== null && batteryMv > 0) {
    if (batteryMv < cellsOf(frame.serial).criticalMv) found['battery-empty'] = frame.last_contact_at;
    else if (frame.battery_level === 'low' || frame.battery_level === 'critical') found['battery-low'] = null;
  }
  const silence = connected ? undefined : silentSince(frame, now);
  if (silence !== undefined) found.silent = silence;
  if (frame.last_failure !== null) found['update-failed'] = failedAt;
  if (paper !== undefined && paper.problem !== null && !hasNothingYet(paper))
    found['picture-not-made'] = paper.tried_at;
  if (activation === 'reset' || activation === 'released') found['given-up'] = null;
  const isOverdue = frame.last_contact_at === null && now >= device.created_at + firstContactMs;
  if (isOverdue) found['never-connected'] = device.created_at;
  return found;
}

/** Time since which a frame is silent that should have come; undefined while it keeps its times. */
function silentSince(frame: ListedFrame, now: number): number | undefined {
  if (frame.overdue_since !== null) return frame.asleep_until ?? frame.overdue_since;
  const { asleep_until: until } = frame;
  return until !== null && now > until + graceMs(frame) ? until : undefined;
}
