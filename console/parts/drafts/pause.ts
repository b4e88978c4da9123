/** Waiting, until it is called off. */

/** A hand that still moves asks for nothing. */
export const handMs = 150;

/** Waits; fails when the signal calls it off. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
