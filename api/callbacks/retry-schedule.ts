/** Computes when a failed callback is tried again. Pure. */

/** The longest that the first retry waits for. */
export const firstDelayMs = 5_000;
const maxDelayMs = 3_600_000;
/** The time for which an event is kept and tried after its creation. */
export const eventLifetimeMs = 7 * 24 * 3_600_000;

/**
 * The delay before the next attempt: it doubles with every attempt, is spread over the upper half of its step, and is
 * at most 1 h (INV-61). `attempts` counts those made, at least 1; `jitter` is in [0, 1).
 */
export function retryDelayMs(attempts: number, jitter: number): number {
  const stepMs = Math.min(maxDelayMs, firstDelayMs * 2 ** (attempts - 1));
  return Math.round(stepMs / 2 + (stepMs / 2) * jitter);
}

/** The time of the next attempt, or undefined when it would come after the event's seven days (INV-61). */
export function nextAttemptAt(event: {
  readonly createdAt: number;
  readonly attempts: number;
  readonly now: number;
  readonly jitter: number;
}): number | undefined {
  const next = event.now + retryDelayMs(event.attempts, event.jitter);
  return next <= event.createdAt + eventLifetimeMs ? next : undefined;
}
