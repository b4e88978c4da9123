/**
 * Virtual time, which passes from one event to the next. Before the next event everything that an event set off has
 * settled.
 */
import type { Clock, Timer } from '../../../runtime/clock.ts';
import type { Chance } from './chance.ts';

/** An event that is to come. */
interface Due {
  readonly at: number;
  /** The drawn rank, which orders the events of one moment. */
  readonly rank: number;
  readonly order: number;
  run: (() => void) | undefined;
}

/** The clock of the simulation, with the events that are to come. */
export interface VirtualTime extends Clock {
  /** The time since the beginning without what was leapt over. */
  played(): number;
  /** Moves time on at once; events that were due meanwhile happen late, as after a machine was suspended. */
  leap(ms: number): void;
  /**
   * Lets events happen until a moment, or until `isOver` holds after an event. Resolves when everything has settled.
   */
  until(at: number, isOver?: () => boolean): Promise<void>;
}

/** Returns a number that grows with everything that goes on, by which settling is recognized. */
export type Progress = () => number;

/**
 * Starts virtual time.
 * @param settle resolves when everything that an event set off has settled
 */
export function virtualTime(
  startsAt: number,
  chance: Pick<Chance, 'number'>,
  settle: () => Promise<void>,
): VirtualTime {
  const heap: Due[] = [];
  let now = startsAt;
  let leaptMs = 0;
  let orders = 0;

  async function run(due: Due): Promise<void> {
    if (due.run === undefined) return;
    now = Math.max(now, due.at);
    due.run();
    await settle();
  }

  return {
    now: () => now,
    played: () => now - startsAt - leaptMs,
    after(delayMs, run): Timer {
      const due: Due = { at: now + Math.max(0, Math.round(delayMs)), rank: chance.number(), order: orders++, run };
      push(heap, due);
      return {
        cancel: () => {
          due.run = undefined;
        },
      };
    },
    leap(ms) {
      now += ms;
      leaptMs += ms;
    },
    async until(at, isOver = () => false) {
      await settle();
      for (let next = heap[0]; next !== undefined && next.at <= at; next = heap[0]) {
        pop(heap);
        await run(next);
        if (isOver()) return;
      }
      now = Math.max(now, at);
    },
  };
}

/** So often in a row nothing may have happened before all has settled: a promise may have set off a callback of the next tick. */
const quietTicks = 3;

/**
 * Settles a simulation, in which everything waits for virtual time, for promises or for the next turn of the event loop,
 * and nothing for the network or the disk except what `isReal` says. A tick begins when no promise can go on, and costs a
 * tenth of a turn, which is made only while somebody waits for one.
 */
export function settleBy(progress: Progress, isReal: () => boolean = () => false): () => Promise<void> {
  return async () => {
    for (let quiet = 0; quiet < quietTicks; ) {
      const before = progress();
      await new Promise<void>((resolve) => process.nextTick(resolve));
      const isTurnAwaited = isReal() || process.getActiveResourcesInfo().includes('Immediate');
      if (isTurnAwaited) await new Promise((resolve) => setImmediate(resolve));
      quiet = !isTurnAwaited && progress() === before ? quiet + 1 : 0;
    }
  };
}

function isSooner(one: Due, other: Due): boolean {
  if (one.at !== other.at) return one.at < other.at;
  return one.rank !== other.rank ? one.rank < other.rank : one.order < other.order;
}

function push(heap: Due[], due: Due): void {
  let at = heap.length;
  heap.push(due);
  while (at > 0) {
    const above = (at - 1) >> 1;
    const parent = heap[above] as Due;
    if (!isSooner(due, parent)) break;
    heap[at] = parent;
    at = above;
  }
  heap[at] = due;
}

function pop(heap: Due[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let at = 0;
  for (;;) {
    const left = 2 * at + 1;
    if (left >= heap.length) break;
    const right = left + 1;
    const child = right < heap.length && isSooner(heap[right] as Due, heap[left] as Due) ? right : left;
    if (!isSooner(heap[child] as Due, last)) break;
    heap[at] = heap[child] as Due;
    at = child;
  }
  heap[at] = last;
}
