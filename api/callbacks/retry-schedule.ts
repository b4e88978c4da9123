/** When a callback that failed is tried again. Pure. */

const firstDelayMs = 5_000;
const longestDelayMs = 3_600_000;
/** How long an event is kept and tried after its creation. */
export const eventLifetimeMs = 7 * 24 * 3_600_000;

/**
 * Delay before the next attempt: doubles with every attempt, spread over the upper half of its step, at most 1 h
 * (INV-61). `attempts` counts those made, at least 1; `jitter` is in [0, 1).
 */
export function retryDelayMs(attempts: number, jitter: number): number {
  const stepMs = Math.min(longestDelayMs, firstDelayMs * 2 ** (attempts - 1));
  return Math.round(stepMs / 2 + (stepMs / 2) * jitter);
}

/** Time of the next attempt, or undefined when it would come after the event's seven days (INV-61). */
export function nextAttemptAt(event: {
  readonly createdAt: number;
  readonly attempts: number;
  readonly now: number;
  readonly jitter: number;
}): number | undefined {
  const next = event.now + retryDelayMs(event.attempts, event.jitter);
  return next <= event.createdAt + eventLifetimeMs ? next : undefined;
}
