/**
 * A limited number of places for work, shared fairly by independent users: a user with a hundred tasks waits for them,
 * and nobody else does. This is only bookkeeping in memory.
 */

/** The owner of a work, from the widest circle to the narrowest: an organization, then one of its connections. */
export type Sharer = readonly string[];

/** The place of work that runs. */
export interface Place {
  /**
   * Frees the place while the work goes on, which suits work that mostly waits.
   * @returns false when the limit of work without a place is reached
   */
  stepAside(): boolean;
}

/** The limits of the work that runs at once. */
export interface ShareLimits {
  readonly atOnce: number;
  /** The most places of one sharer, by its widest circle; when absent, it may have all of them. */
  readonly ofOne?: number | undefined;
  /** The most work without a place, in all and of one sharer by its widest circle; when absent, none. */
  readonly aside?: { readonly inAll: number; readonly ofOne: number } | undefined;
}

/** The places, and the work that waits for them. */
export interface FairShares {
  /**
   * Runs the work when a place is free for it, and resolves or rejects as the work does.
   * @param signal cancels work that still waits: the call rejects with the signal's reason and the work never begins
   */
  run<Result>(sharer: Sharer, work: (place: Place) => Promise<Result>, signal?: AbortSignal): Promise<Result>;
  /** Returns how much work has begun and not ended, including work without a place. */
  running(): number;
  waiting(): number;
  /** Resolves when nothing runs or waits. */
  idle(): Promise<void>;
}

/** A circle of sharers: it holds the circles within it, and the innermost circle holds the work that waits. */
interface Circle {
  /** The number of places in use. */
  placed: number;
  aside: number;
  waiting: number;
  /** The number of the work that was last given a place; the circle with the lowest number was served longest ago. */
  servedAt: number;
  readonly within: Map<string, Circle>;
  /** The waiting work in the order in which it came; a set, so that cancelled work leaves at once. */
  readonly works: Set<() => void>;
}

function newCircle(): Circle {
  return { placed: 0, aside: 0, waiting: 0, servedAt: 0, within: new Map(), works: new Set() };
}

/** The limits with their defaults. */
type Limits = Required<{ [Name in keyof ShareLimits]: NonNullable<ShareLimits[Name]> }>;

/**
 * Opens the places. A free place goes to the sharer with the least running work, then to the one served longest ago.
 */
export function fairShares({ atOnce, ofOne = atOnce, aside = { inAll: 0, ofOne: 0 } }: ShareLimits): FairShares {
  const limits: Limits = { atOnce, ofOne, aside };
  const all = newCircle();
  let served = 0;
  let whenIdle: (() => void)[] = [];

  const isIdle = (): boolean => all.placed + all.aside + all.waiting === 0;

  function tellWhenIdle(): void {
    if (isIdle()) for (const tell of whenIdle.splice(0)) tell();
  }

  function fill(): void {
    while (all.placed < atOnce) {
      const begin = nextWork(all, limits);
      if (begin === undefined) return;
      begin();
    }
  }

  async function begin<Result>(sharer: Sharer, work: (place: Place) => Promise<Result>): Promise<Result> {
    const circles = circlesOf(all, sharer);
    served++;
    for (const circle of circles) circle.servedAt = served;
    const place = takePlace(circles, limits, fill);
    try {
      return await work(place);
    } finally {
      place.leave();
      forgetUnused(all, sharer);
      fill();
      tellWhenIdle();
    }
  }

  function run<Result>(sharer: Sharer, work: (place: Place) => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const circles = circlesOf(all, sharer);
      const { works } = circles[circles.length - 1] ?? all;
      enqueue(works, signal, {
        begin() {
          count(circles, { waiting: -1, placed: 1 });
          begin(sharer, work).then(resolve, reject);
        },
        giveUp() {
          count(circles, { waiting: -1 });
          forgetUnused(all, sharer);
          tellWhenIdle();
          reject(signal?.reason);
        },
      });
      count(circles, { waiting: 1 });
      fill();
    });
  }

  return {
    run,
    running: () => all.placed + all.aside,
    waiting: () => all.waiting,
    idle: () =>
      new Promise((resolve) => {
        if (isIdle()) resolve();
        else whenIdle = [...whenIdle, resolve];
      }),
  };
}

/** Queues work in its innermost circle, until it begins or its signal cancels it. */
function enqueue(
  works: Set<() => void>,
  signal: AbortSignal | undefined,
  work: { begin(): void; giveUp(): void },
): void {
  const leave = (): void => {
    works.delete(start);
    signal?.removeEventListener('abort', giveUp);
  };
  const giveUp = (): void => {
    leave();
    work.giveUp();
  };
  const start = (): void => {
    leave();
    work.begin();
  };
  signal?.addEventListener('abort', giveUp, { once: true });
  works.add(start);
}

/** Returns the circles of a sharer, from everybody to its innermost; new circles are made. */
function circlesOf(all: Circle, sharer: Sharer): [Circle, ...Circle[]] {
  const circles: [Circle, ...Circle[]] = [all];
  let circle = all;
  for (const name of sharer) {
    const inner = circle.within.get(name) ?? newCircle();
    circle.within.set(name, inner);
    circles.push(inner);
    circle = inner;
  }
  return circles;
}

/** Removes the circles of a sharer in which nothing runs or waits any longer. */
function forgetUnused(all: Circle, sharer: Sharer): void {
  const circles = circlesOf(all, sharer);
  for (let depth = sharer.length; depth > 0; depth--) {
    const circle = circles[depth];
    if (circle === undefined || circle.placed + circle.aside + circle.waiting > 0) return;
    circles[depth - 1]?.within.delete(sharer[depth - 1] ?? '');
  }
}

function count(circles: readonly Circle[], by: Partial<Record<'placed' | 'aside' | 'waiting', 1 | -1>>): void {
  for (const circle of circles) {
    circle.placed += by.placed ?? 0;
    circle.aside += by.aside ?? 0;
    circle.waiting += by.waiting ?? 0;
  }
}

/** Takes a place in these circles for work that begins, and returns how it is left. */
function takePlace(
  circles: readonly [Circle, ...Circle[]],
  { aside }: Limits,
  fill: () => void,
): Place & { leave(): void } {
  const [all, widest] = circles;
  let isAside = false;
  let hasEnded = false;
  return {
    stepAside() {
      if (isAside || hasEnded) return isAside;
      if (all.aside >= aside.inAll || (widest !== undefined && widest.aside >= aside.ofOne)) return false;
      isAside = true;
      count(circles, { placed: -1, aside: 1 });
      fill();
      return true;
    },
    leave() {
      hasEnded = true;
      count(circles, isAside ? { aside: -1 } : { placed: -1 });
    },
  };
}

/** Chooses the work that is given the free place; undefined when none may have it. */
function nextWork(all: Circle, limits: Limits, circle: Circle = all): (() => void) | undefined {
  let best: Circle | undefined;
  for (const inner of circle.within.values()) {
    if (inner.waiting === 0 || (circle === all && !mayHavePlace(inner, all, limits))) continue;
    if (best === undefined || isBefore(inner, best)) best = inner;
  }
  if (best !== undefined) return nextWork(all, limits, best);
  const [first] = circle.works;
  return first;
}

/** Keeps the last place from a sharer that has work without a place, so that it stays free for work that ends soon. */
function mayHavePlace({ placed, aside }: Circle, all: Circle, { ofOne, atOnce }: Limits): boolean {
  return placed < ofOne && (aside === 0 || all.placed + 1 < atOnce || atOnce === 1);
}

function isBefore(one: Circle, other: Circle): boolean {
  const [ones, others] = [one.placed + one.aside, other.placed + other.aside];
  return ones === others ? one.servedAt < other.servedAt : ones < others;
}
