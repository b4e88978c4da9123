/** Time as an edge of the simulator: handed in, so that a fleet runs live or under virtual time. */

/** A timer that can be taken back. */
export interface Timer {
  cancel(): void;
}

/** Where time comes from: `now` in epoch milliseconds, `after` in real milliseconds. */
export interface Clock {
  now(): number;
  after(delayMs: number, run: () => void): Timer;
}
