/** The timers of one frame and its own time, which includes what `speed` skips of its sleeps, its draws and its way into the Wi-Fi. */
import type { Clock, Timer } from '../runtime/clock.ts';
import type { FrameIncident, SimulatedEvent } from './frame.ts';

/**
 * Starts the time of a frame.
 * @param speed the factor by which `pass` is faster than a real frame
 */
export function frameTime(speed: number, clock: Clock, tell: (event: SimulatedEvent) => void) {
  const timers = new Map<string, Timer>();
  let skippedMs = 0;
  const happen = (incident: FrameIncident): void => tell({ ...incident, atMs: clock.now() + skippedMs });
  const start = (name: string, afterMs: number, run: () => void): void => {
    timers.get(name)?.cancel();
    timers.set(
      name,
      clock.after(afterMs, () => {
        timers.delete(name);
        run();
      }),
    );
  };
  return {
    /** Lets an incident happen to the frame now. */
    happen,
    /** Starts a timer of the firmware, in real milliseconds; it replaces the timer of that name. */
    ring: (name: string, afterMs: number): void =>
      start(`timer ${name}`, afterMs, () => happen({ kind: 'timer', name })),
    /** Lets seconds of the frame's time pass, shortened by `speed`, before an incident, which is asked for then. */
    pass(name: 'join' | 'draw' | 'sleep', seconds: number, incident: () => FrameIncident): void {
      const realMs = (seconds * 1000) / speed;
      start(name, realMs, () => {
        skippedMs += seconds * 1000 - realMs;
        happen(incident());
      });
    },
    /** Whether the frame is busy with itself: it sleeps, draws or joins its Wi-Fi. */
    passes: (): boolean => timers.has('sleep') || timers.has('draw') || timers.has('join'),
    cancelAll(): void {
      for (const timer of timers.values()) timer.cancel();
      timers.clear();
    },
  };
}
