/** What takes place within a range of days by one iCalendar text. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Clock } from '../../gateway/runtime/clock.ts';
import { addDays, localDate, startOfDate } from '../../gateway/runtime/local-time.ts';

/** An event. `start` and `end` are dates (`2026-03-29`, the end exclusive) when it lasts whole days, else ISO 8601 times. */
export interface FeedEvent {
  readonly summary: string;
  readonly location: string;
  readonly allDay: boolean;
  readonly start: string;
  readonly end: string;
  /** Epoch milliseconds by which events are ordered. */
  readonly at: number;
}

/** The events, earliest first, or why there are none. */
export type ExpandedFeed =
  | { readonly ok: true; readonly events: readonly FeedEvent[] }
  | { readonly ok: false; readonly problem: string };

/** Days from the one that `at` (epoch milliseconds) falls on, in a zone. */
export interface FeedRange {
  readonly at: number;
  readonly dayRange: number;
  readonly timeZone: string;
  readonly mostEvents: number;
}

/**
 * T-53: a reading ends by then, whatever is in the feed. It takes a fraction of a second and bounds its own work, so this is
 * for a text that the reader was not prepared for; a busy machine is no reason to give up.
 */
const expandTimeoutMs = 10_000;
/** A thread that did not begin by then never will. */
const startTimeoutMs = 60_000;
const mostHeapMiB = 192;

/** Expands a feed in a thread that is thrown away afterwards. Never throws. */
export async function expandFeed(clock: Clock, text: string, range: FeedRange): Promise<ExpandedFeed> {
  const { at, dayRange, timeZone, mostEvents } = range;
  const from = localDate(at, timeZone);
  const to = addDays(from, dayRange);
  const window = { from, to, fromMs: startOfDate(from, timeZone), toMs: startOfDate(to, timeZone) };
  const worker = new Worker(new URL('./feed-worker.mjs', import.meta.url), {
    workerData: { text, timeZone, mostEvents, ...window },
    // Nothing of this process's environment, and none of its loaders.
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: mostHeapMiB },
    stdout: true,
    stderr: true,
  });
  const over = new AbortController();
  let timer = clock.after(startTimeoutMs, () => over.abort());
  worker.once('online', () => {
    timer.cancel();
    if (!over.signal.aborted) timer = clock.after(expandTimeoutMs, () => over.abort());
  });
  const { signal } = over;
  try {
    const ended = once(worker, 'exit', { signal }).then(
      (): ExpandedFeed => ({ ok: false, problem: 'it cannot be read' }),
    );
    ended.catch(() => {});
    const told = once(worker, 'message', { signal }) as Promise<[ExpandedFeed]>;
    return await Promise.race([told.then(([expanded]) => expanded), ended]);
  } catch {
    return { ok: false, problem: signal.aborted ? 'reading it takes too long' : 'it cannot be read' };
  } finally {
    timer.cancel();
    over.abort();
    worker.on('error', () => {}); // whatever it still has to say
    await worker.terminate();
  }
}
