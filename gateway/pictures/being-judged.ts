/**
 * Downloads that their frame has taken whole and ended properly, until they are recorded: a wake report that comes within
 * this half second may rest on one, and waits for it.
 */

export type DownloadsBeingJudged = ReturnType<typeof downloadsBeingJudged>;

/** Opens the list of one process. */
export function downloadsBeingJudged() {
  const judged = new Map<string, Set<Promise<void>>>();
  return {
    /** Lists a download until it is recorded. `recorded` never rejects. */
    begin(serial: string, recorded: Promise<void>): void {
      const ofFrame = judged.get(serial) ?? new Set();
      judged.set(serial, ofFrame.add(recorded));
      void recorded.then(() => {
        ofFrame.delete(recorded);
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
