/** Waiting with a bound. */
import type { Clock } from './clock.ts';

/** The result of `limitTime` when the work was not done in time. */
export const timedOut = Symbol('timed out');

/**
 * Returns the outcome of work, or `timedOut` after `limitMs`. Late work goes on and its outcome is dropped: its owner
 * must end it.
 */
export async function limitTime<T>(clock: Clock, limitMs: number, work: Promise<T>): Promise<T | typeof timedOut> {
  work.catch(() => {});
  let timer: { cancel(): void } | undefined;
  const late = new Promise<typeof timedOut>((resolve) => {
    timer = clock.after(limitMs, () => resolve(timedOut));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    timer?.cancel();
  }
}

/** Waits for `delayMs`. */
export function pause(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(delayMs, resolve);
  });
}
