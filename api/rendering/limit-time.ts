/** Waiting with a bound. */
import type { Clock } from '../../gateway/runtime/clock.ts';

/** What `limitTime` gives when the work was not done in time. */
export const timedOut = Symbol('timed out');

/** The outcome of work, or `timedOut` after `limitMs`. Work that is late goes on unheard: end it where it is done. */
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

/** Nothing, after `delayMs`. */
export function pause(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(delayMs, resolve);
  });
}
