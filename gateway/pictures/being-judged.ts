/**
 * Downloads that their frame has taken whole and ended properly, until they are recorded: a wake report that comes within
 * this half second may rest on one, and waits for it.
 */
import type { Clock, Timer } from '../runtime/clock.ts';
import { resetWaitMs } from './sent-whole.ts';

/** A frame waits with its radio on: whatever holds a record up, its wake is answered then. */
const longestMs = 2 * resetWaitMs;

export type DownloadsBeingJudged = ReturnType<typeof downloadsBeingJudged>;

/** Opens the list of one process. */
export function downloadsBeingJudged(clock: Clock) {
  const judged = new Map<string, Set<Promise<void>>>();
  return {
    /** Lists a download until it is recorded. `recorded` never rejects. */
    begin(serial: string, recorded: Promise<void>): void {
      const ofFrame = judged.get(serial) ?? new Set();
      let timer: Timer | undefined;
      const late = new Promise<void>((resolve) => {
        timer = clock.after(longestMs, resolve);
      });
      const listed = Promise.race([recorded, late]);
      judged.set(serial, ofFrame.add(listed));
      void listed.then(() => {
        timer?.cancel();
        ofFrame.delete(listed);
        if (ofFrame.size === 0) judged.delete(serial);
      });
    },
    /** Resolves when all that this frame has ended so far is recorded; undefined when it is. */
    recorded(serial: string): Promise<unknown> | undefined {
      const ofFrame = judged.get(serial);
      return ofFrame && Promise.all(ofFrame);
    },
  };
}
