/**
 * What frames ask of the database, a few pieces at a time. A stampede waits here, in memory, and not before the
 * database, where every person's request would wait behind it and time out with it (T-46).
 */

/** A narrow door: work passes in the order it came. */
export interface Door {
  /** How many wait for their turn. */
  readonly waiting: number;
  /** Runs the work when its turn comes, and hands on what becomes of it. */
  pass<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** Makes a door that so many pieces of work pass at once. */
export function fewAtATime(atOnce: number): Door {
  const queue: (() => void)[] = [];
  let running = 0;
  let next = 0;

  function leave(): void {
    const begin = queue[next];
    if (begin === undefined) {
      running--;
      return;
    }
    next++;
    // Taken from the front in one go: shifting thousands one by one moves all the others each time.
    if (next * 2 > queue.length) {
      queue.splice(0, next);
      next = 0;
    }
    begin();
  }

  return {
    get waiting() {
      return queue.length - next;
    },
    async pass(work) {
      if (running < atOnce) running++;
      else await new Promise<void>((begin) => queue.push(begin));
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
