/** Timers by name, of which a frame has one each. */
import type { Clock, Timer } from '../../runtime/clock.ts';

/** The timers of one frame. */
export interface NamedTimers {
  /** Starts a timer; it replaces the one of that name. */
  start(name: string, afterMs: number, run: () => void): void;
  isRunning(name: string): boolean;
  cancel(name: string): void;
  cancelAll(): void;
}

/** Opens the timers of a frame; none runs yet. */
export function namedTimers(clock: Pick<Clock, 'after'>): NamedTimers {
  const timers = new Map<string, Timer>();
  const cancel = (name: string): void => {
    timers.get(name)?.cancel();
    timers.delete(name);
  };
  return {
    start(name, afterMs, run) {
      cancel(name);
      const fire = (): void => {
        timers.delete(name);
        run();
      };
      timers.set(name, clock.after(afterMs, fire));
    },
    isRunning: (name) => timers.has(name),
    cancel,
    cancelAll() {
      for (const timer of timers.values()) timer.cancel();
      timers.clear();
    },
  };
}
