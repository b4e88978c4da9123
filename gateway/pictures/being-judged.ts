/**
 * The downloads that their frame has taken whole and ended properly, until they are recorded. A wake report that comes
 * within this half second may rest on such a download, and waits for it.
 */
import type { Clock, Timer } from '../../runtime/clock.ts';
import { resetWaitMs } from './sent-whole.ts';

/** The longest wait for a record. A frame waits with its radio on, so its wake is answered then whatever delays the record. */
const maxMs = 2 * resetWaitMs;

export type DownloadsBeingJudged = ReturnType<typeof downloadsBeingJudged>;

/** Creates the list of one process. */
export function downloadsBeingJudged(clock: Clock) {
  const judged = new Map<string, Set<Promise<void>>>();
  return {
    /** Adds a download to the list until `recorded` resolves, which must never reject. */
    begin(serial: string, recorded: Promise<void>): void {
      const ofFrame = judged.get(serial) ?? new Set();
      let timer: Timer | undefined;
      const late = new Promise<void>((resolve) => {
        timer = clock.after(maxMs, resolve);
      });
      const listed = Promise.race([recorded, late]).then(() => {
        timer?.cancel();
        ofFrame.delete(listed);
        if (ofFrame.size === 0) judged.delete(serial);
      });
      judged.set(serial, ofFrame.add(listed));
    },
    /** Resolves when every download that this frame has ended so far is recorded; undefined when none is pending. */
    recorded(serial: string): Promise<unknown> | undefined {
      const ofFrame = judged.get(serial);
      return ofFrame && Promise.all(ofFrame);
    },
  };
}
