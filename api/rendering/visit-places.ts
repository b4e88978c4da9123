/**
 * Places for visits, a few at once. A page that never ends mostly waits: after some seconds it steps aside and another
 * visit begins in its stead, so that no paper waits long for the pages of others (T-10, FI-12). Documents of our own,
 * which ask nobody for anything, never wait for them.
 */
import PQueue from 'p-queue';
import type { Clock } from '../../gateway/runtime/clock.ts';

/** Ordinary pages are done by then. */
const patienceMs = 5_000;
/** Each is a page more in the browser's memory. */
const mostAside = 4;

/** The places. */
export interface VisitPlaces {
  /** Works in a place as soon as there is one. */
  take(work: () => Promise<void>, isOwn: boolean): Promise<void>;
  /** Resolves when somebody asks for a place next. */
  asked(): Promise<void>;
  readonly running: () => number;
  readonly waiting: () => number;
  /** Resolves when nobody works or waits. */
  idle(): Promise<void>;
}

/** Opens so many places. */
export function visitPlaces(clock: Clock, places: number): VisitPlaces {
  const queue = new PQueue({ concurrency: places });
  /** Beside the others, for a document of our own while strangers have them all. */
  const spare = new PQueue({ concurrency: 1 });
  let aside = 0;
  let listeners: (() => void)[] = [];

  async function patiently(work: () => Promise<void>): Promise<void> {
    let isAside = false;
    const stepAside = (): void => {
      if (aside === mostAside) {
        timer = clock.after(1_000, stepAside);
        return;
      }
      isAside = true;
      aside++;
      queue.concurrency++;
    };
    let timer = clock.after(patienceMs, stepAside);
    try {
      await work();
    } finally {
      timer.cancel();
      if (isAside) {
        aside--;
        queue.concurrency--;
      }
    }
  }

  return {
    take(work, isOwn) {
      for (const tell of listeners.splice(0)) tell();
      const isFull = queue.pending >= queue.concurrency;
      return isOwn && isFull ? spare.add(work) : queue.add(() => patiently(work));
    },
    asked: () =>
      new Promise((resolve) => {
        listeners = [...listeners, resolve];
      }),
    running: () => queue.pending + spare.pending,
    waiting: () => queue.size + spare.size,
    async idle() {
      await Promise.all([queue.onIdle(), spare.onIdle()]);
    },
  };
}
