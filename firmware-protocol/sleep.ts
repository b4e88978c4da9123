/** The sleep of frames. */
import { limits } from './limits.ts';

/** The reasons for which a frame wakes. The classic firmware counts `reset` 0, `button` 1, `motion` 2, `timer` 3. */
export const wakeReasons = ['reset', 'button', 'motion', 'timer'] as const;
export type WakeReason = (typeof wakeReasons)[number];

/**
 * The sleep to send to a frame, in seconds within the wire's limits; an hour when nothing sensible is configured
 * (C-60).
 */
export function clampSleepSeconds(configured: unknown): number {
  const seconds = typeof configured === 'string' ? Number.parseInt(configured, 10) : Number(configured);
  if (!Number.isFinite(seconds) || seconds <= 0) return 3600;
  return Math.min(Math.max(Math.round(seconds), limits.sleepSeconds.shortest), limits.sleepSeconds.longest);
}

/**
 * The seconds that a classic frame really sleeps after a cycle. After a reset or a movement with unchanged settings it
 * only finishes the interval it was in, unless less than 30 s of it would remain.
 */
export function effectiveSleepSeconds(cycle: {
  wake: WakeReason;
  timeoutSeconds: number;
  storedTimeoutSeconds: number;
  secondsSinceFullWake: number;
}): number {
  const interrupted = cycle.wake === 'reset' || cycle.wake === 'motion';
  if (!interrupted || cycle.timeoutSeconds !== cycle.storedTimeoutSeconds) return cycle.timeoutSeconds;
  const rest = cycle.timeoutSeconds - cycle.secondsSinceFullWake;
  return rest < 30 ? cycle.timeoutSeconds : rest;
}
