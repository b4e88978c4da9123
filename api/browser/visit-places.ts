/**
 * Places for visits, a few at once, shared fairly by organization and then by paper or device. A page that never ends
 * mostly waits: after some seconds it steps aside and another visit begins in its stead, so that no paper waits long
 * for the pages of others. Documents of our own, which ask nobody for anything, have places of their own.
 */
import type { Clock } from '../../runtime/clock.ts';
import { fairShares, type Place, type Sharer } from '../../runtime/fair-shares.ts';

/** The time after which a visit steps aside: ordinary pages are done by then. */
const patienceMs = 5_000;
/** The time until a page that nobody could make room for asks again. */
const askAgainMs = 1_000;
/**
 * The time that an organization's next visits wait after a page of its was ended for what it did: such a page costs more
 * until it is ended than any other does until it is drawn (T-62).
 */
const calmMs = 5_000;

/** The sharer of a visit, and whether it goes to a document of our own. */
export interface Visitor {
  readonly sharer: Sharer;
  readonly isOwn?: boolean | undefined;
  /** Takes the visit back while it waits. */
  readonly signal?: AbortSignal | undefined;
}

export interface VisitPlaces {
  /** Works in a place as soon as there is one. */
  take(visitor: Visitor, work: () => Promise<void>): Promise<void>;
  /** Holds the next visits of anyone whose page was ended for what it did, by the widest circle. */
  calm(sharer: Sharer): void;
  /** Resolves when somebody asks for a place next. */
  asked(): Promise<void>;
  readonly running: () => number;
  readonly waiting: () => number;
  /** Resolves when nobody works or waits. */
  idle(): Promise<void>;
}

/**
 * Opens so many places for pages, and as many for documents of our own.
 * @param aside the visits that may stand aside; each is a page more in the browser's memory
 */
export function visitPlaces(clock: Clock, places: number, aside: number): VisitPlaces {
  const pages = fairShares({ atOnce: places, aside: { inAll: aside, ofOne: Math.ceil(aside / 2) } });
  const documents = fairShares({ atOnce: places });
  const calming = calmDown(clock);
  let listeners: (() => void)[] = [];

  async function patiently(work: () => Promise<void>, place: Place): Promise<void> {
    const stepAside = (): void => {
      if (!place.stepAside()) timer = clock.after(askAgainMs, stepAside);
    };
    let timer = clock.after(patienceMs, stepAside);
    try {
      await work();
    } finally {
      timer.cancel();
    }
  }

  return {
    take({ sharer, isOwn, signal }, work) {
      for (const tell of listeners.splice(0)) tell();
      if (isOwn === true) return documents.run(sharer, work, signal);
      const run = () => pages.run(sharer, (place) => patiently(work, place), signal);
      const calm = calming.wait(sharer, signal);
      return calm === undefined ? run() : calm.then(run);
    },
    calm: calming.begin,
    asked: () =>
      new Promise((resolve) => {
        listeners = [...listeners, resolve];
      }),
    running: () => pages.running() + documents.running(),
    waiting: () => pages.waiting() + documents.waiting() + calming.waiting(),
    async idle() {
      calming.end();
      await Promise.all([pages.idle(), documents.idle()]);
    },
  };
}

/** Remembers whose visits have to wait, and makes them wait. */
function calmDown(clock: Clock) {
  const until = new Map<string, Promise<void>>();
  const ends = new Set<() => void>();
  let waiting = 0;

  return {
    begin([whose = '']: Sharer): void {
      const ended = new Promise<void>((resolve) => {
        const end = (): void => {
          timer.cancel();
          ends.delete(end);
          if (until.get(whose) === ended) until.delete(whose);
          resolve();
        };
        const timer = clock.after(calmMs, end);
        ends.add(end);
      });
      until.set(whose, ended);
    },
    /** Resolves when the visit may ask for a place; undefined when it may at once. Rejects when its caller leaves. */
    wait([whose = '']: Sharer, signal: AbortSignal | undefined): Promise<void> | undefined {
      const ended = until.get(whose);
      if (ended === undefined) return undefined;
      waiting++;
      const left = new Promise<never>((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
      return Promise.race([ended, left]).finally(() => waiting--);
    },
    waiting: (): number => waiting,
    /** Lets everybody go on, because the service stops. */
    end(): void {
      for (const end of ends) end();
    },
  };
}
