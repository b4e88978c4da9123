/** One frame's timers and its own time, which lives through what `speed` skips of its sleeps and draws. */
import type { Clock, Timer } from './clock.ts';
import type { FrameEvent, FrameIncident } from './frame.ts';

/** @param speed how much faster than real the passing of `pass` is */
export function frameTime(speed: number, clock: Clock, tell: (event: FrameEvent) => void) {
  const timers = new Map<string, Timer>();
  let skippedMs = 0;
  const happen = (incident: FrameIncident): void => tell({ ...incident, atMs: clock.now() + skippedMs });
  const start = (name: string, afterMs: number, run: () => void): void => {
    timers.get(name)?.cancel();
    timers.set(name, clock.after(afterMs, run));
  };
  return {
    /** Something happens to the frame now. */
    happen,
    /** A timer of the firmware, in real milliseconds; it replaces the one of that name. */
    ring: (name: string, afterMs: number): void =>
      start(`timer ${name}`, afterMs, () => happen({ kind: 'timer', name })),
    /** Lets seconds of the frame's time pass, shortened by speed, before an incident. */
    pass(name: 'draw' | 'sleep', seconds: number, incident: FrameIncident): void {
      const realMs = (seconds * 1000) / speed;
      start(name, realMs, () => {
        skippedMs += seconds * 1000 - realMs;
        happen(incident);
      });
    },
    cancelAll(): void {
      for (const timer of timers.values()) timer.cancel();
      timers.clear();
    },
  };
}
