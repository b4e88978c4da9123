/** The timers of one frame and its own time, which includes what `speed` skips of its sleeps, its draws and its way into the Wi-Fi. */
import type { Clock } from '../../runtime/clock.ts';
import type { FrameIncident, SimulatedEvent } from './frame.ts';
import { namedTimers } from './named-timers.ts';

/** A sleep takes so long at any speed, or as long as one of an hour: services bound the messages of a frame in a minute. */
const leastSleepMs = 500;
const hourMs = 3_600_000;

/**
 * Starts the time of a frame.
 * @param speed the factor by which `pass` is faster than a real frame
 */
export function frameTime(speed: number, clock: Clock, tell: (event: SimulatedEvent) => void) {
  const timers = namedTimers(clock);
  let skippedMs = 0;
  const happen = (incident: FrameIncident): void => tell({ ...incident, atMs: clock.now() + skippedMs });
  return {
    /** Lets an incident happen to the frame now. */
    happen,
    /** Starts a timer of the firmware, in real milliseconds; it replaces the timer of that name. */
    ring: (name: string, afterMs: number): void =>
      timers.start(`timer ${name}`, afterMs, () => happen({ kind: 'timer', name })),
    /** Lets seconds of the frame's time pass, shortened by `speed`, before an incident, which is asked for then. */
    pass(name: 'join' | 'draw' | 'sleep', seconds: number, incident: () => FrameIncident): void {
      const leastMs = name === 'sleep' ? Math.min(leastSleepMs, hourMs / speed, seconds * 1000) : 0;
      const realMs = Math.max(leastMs, (seconds * 1000) / speed);
      timers.start(name, realMs, () => {
        skippedMs += seconds * 1000 - realMs;
        happen(incident());
      });
    },
    /** Whether the frame is busy with itself: it sleeps, draws or joins its Wi-Fi. */
    passes: (): boolean => ['sleep', 'draw', 'join'].some(timers.isRunning),
    cancelAll: timers.cancelAll,
  };
}
