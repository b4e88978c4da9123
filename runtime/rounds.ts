/** Work that is done again and again. */
import type { Clock, Timer } from './clock.ts';

/** The rounds of some work. */
export interface Rounds {
  /** Begins: the first round comes after a pause. */
  start(): void;
  /** Ends, once the round that is under way is over. */
  stop(): Promise<void>;
}

/**
 * Does work in rounds.
 * @param pauseMs from the end of a round to the next
 * @param round never rejects
 */
export function inRounds(clock: Pick<Clock, 'after'>, pauseMs: number, round: () => Promise<void>): Rounds {
  let timer: Timer | undefined;
  let underWay: Promise<void> = Promise.resolve();
  const next = (): void => {
    underWay = round().then(() => {
      if (timer !== undefined) timer = clock.after(pauseMs, next);
    });
  };
  return {
    start() {
      timer = clock.after(pauseMs, next);
    },
    async stop() {
      timer?.cancel();
      timer = undefined;
      await underWay;
    },
  };
}
