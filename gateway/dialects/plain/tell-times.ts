/** The times that a frame is given which takes no sleep, from what is known of the changes of its picture. */
import { createHash } from 'node:crypto';
import { configPayload, rotateCron } from '../../../firmware-protocol/plain/rotate-cron.ts';
import { plannedAfter } from '../../frames/planned-changes.ts';
import type { FrameRow } from '../../frames/registry.ts';
import { sleepSecondsAsSet } from '../../frames/tell-sleep.ts';

const dayMs = 86_400_000;
const hourMs = 3_600_000;

/**
 * Its usual wakes, and those at the changes of its picture that are planned and at its deadlines.
 * @returns the value of `X-Config-Payload`
 */
export function timesFor(frame: FrameRow, now: number): string {
  const hours = new Set<number>();
  const first = sleepSecondsAsSet(frame, now);
  for (let at = now + first * 1000; at <= now + dayMs; ) {
    hours.add(new Date(at).getUTCHours());
    at += Math.max(hourMs, sleepSecondsAsSet(frame, at) * 1000);
  }
  if (hours.size === 0) hours.add(new Date(now + first * 1000).getUTCHours());
  const changes = [...plannedAfter(frame, 'planned_deadlines', now), ...plannedAfter(frame, 'planned_changes', now)];
  const times = changes.map(({ at }) => at).sort((a, b) => a - b);
  const minute = (createHash('sha256').update(frame.serial).digest()[0] ?? 0) % 60;
  return configPayload(rotateCron({ everySeconds: first, hours: [...hours], minute, times, now }));
}
