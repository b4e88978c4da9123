/** Time as an edge: handed in, so that tests and the laboratory can move it by words. */

/** A timer that can be taken back. */
export interface Timer {
  cancel(): void;
}

/** Where time comes from. `now` is epoch milliseconds; `after` never keeps the process alive by itself. */
export interface Clock {
  now(): number;
  after(delayMs: number, run: () => void): Timer;
}

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    timer.unref();
    return { cancel: () => clearTimeout(timer) };
  },
};

/** ISO 8601 with milliseconds and `Z`, as every time in the HTTP contract. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
