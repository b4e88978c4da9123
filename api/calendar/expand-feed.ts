/** Expands one iCalendar text into its events within a range of days. */

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { isReason, type Reason, reasonOf } from '../../reasons/reason.ts';
import type { Clock } from '../../runtime/clock.ts';
import { addDays, localDate, startOfDate } from '../../runtime/local-time.ts';
import { startedModule, typescriptArgs } from '../../runtime/typescript.mjs';

/**
 * An event. `start` and `end` are dates (`2026-03-29`, the end exclusive) when it lasts whole days, else ISO 8601
 * times.
 */
export interface FeedEvent {
  readonly summary: string;
  readonly location: string;
  readonly allDay: boolean;
  readonly start: string;
  readonly end: string;
  /** Whether people are free meanwhile (`TRANSP:TRANSPARENT`); left out where they are busy. */
  readonly isFree?: true | undefined;
  /** Epoch milliseconds by which events are ordered. */
  readonly at: number;
}

/** An unknown zone, and the zone that was assumed for its times. */
export interface GuessedZone {
  readonly zone: string;
  readonly taken: string;
}

/** The events, earliest first, or the reason why there are none. */
export type ExpandedFeed =
  | { readonly ok: true; readonly events: readonly FeedEvent[]; readonly guessed: readonly GuessedZone[] }
  | { readonly ok: false; readonly problem: Reason };

/** The answer of a reading thread. The thread reads strangers' texts, so its answer is checked as if it were one. */
const answer: z.ZodType<ExpandedFeed> = z.discriminatedUnion('ok', [
  z.strictObject({
    ok: z.literal(true),
    events: z.array(
      z.strictObject({
        summary: z.string(),
        location: z.string(),
        allDay: z.boolean(),
        start: z.string(),
        end: z.string(),
        isFree: z.literal(true).optional(),
        at: z.number(),
      }),
    ),
    guessed: z.array(z.strictObject({ zone: z.string(), taken: z.string() })),
  }),
  z.strictObject({ ok: z.literal(false), problem: z.custom<Reason>(isReason) }),
]);

/** A range of days, from the day that `at` (epoch milliseconds) falls on in a zone. */
export interface FeedRange {
  readonly at: number;
  readonly dayRange: number;
  readonly timeZone: string;
  readonly maxEvents: number;
}

/**
 * The time by which a reading ends, whatever is in the feed (T-53). A reading takes a fraction of a second and bounds
 * its own work, so this limit is for a text that the reader was not prepared for; a busy machine is not a reason to give
 * up.
 */
const expandTimeoutMs = 10_000;
/** The time by which a thread has to begin; one that did not begin by then never will. */
const startTimeoutMs = 60_000;
/**
 * The heap of a reading thread. Feeds of the largest size, of seven hostile shapes, are read within it just as they are
 * within half as much again.
 */
const maxHeapMiB = { old: 64, young: 8 };

const feedWorker = startedModule(new URL('./feed-worker.ts', import.meta.url));

/** The thread of a reading. */
interface ThreadOptions {
  /** Ends the thread when the caller does not wait any longer. */
  readonly signal?: AbortSignal;
  readonly program?: URL;
}

/** Expands a feed in a thread that is thrown away afterwards. Never throws. */
export async function expandFeed(
  clock: Clock,
  text: string,
  range: FeedRange,
  { signal, program = feedWorker }: ThreadOptions = {},
): Promise<ExpandedFeed> {
  const { at, dayRange, timeZone, maxEvents } = range;
  const from = localDate(at, timeZone);
  const to = addDays(from, dayRange);
  const window = { from, to, fromMs: startOfDate(from, timeZone), toMs: startOfDate(to, timeZone) };
  const worker = new Worker(program, {
    workerData: { text, timeZone, maxEvents, ...window },
    // The thread gets nothing of this process's environment, and none of its arguments.
    env: {},
    execArgv: [...typescriptArgs],
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMiB.old, maxYoungGenerationSizeMb: maxHeapMiB.young },
    stdout: true,
    stderr: true,
  });
  const over = new AbortController();
  let timer = clock.after(startTimeoutMs, () => over.abort());
  worker.once('online', () => {
    timer.cancel();
    if (!over.signal.aborted) timer = clock.after(expandTimeoutMs, () => over.abort());
  });
  const end = (): void => over.abort();
  signal?.addEventListener('abort', end, { once: true });
  if (signal?.aborted === true) end();
  try {
    const unread = ['exit', 'messageerror'].map((event) =>
      once(worker, event, { signal: over.signal }).then(
        (): ExpandedFeed => ({ ok: false, problem: reasonOf('calendar-unreadable') }),
      ),
    );
    for (const one of unread) one.catch(() => {});
    const told = once(worker, 'message', { signal: over.signal });
    return await Promise.race([told.then(([expanded]) => answer.parse(expanded)), ...unread]);
  } catch {
    return {
      ok: false,
      problem: over.signal.aborted ? reasonOf('calendar-takes-long') : reasonOf('calendar-unreadable'),
    };
  } finally {
    timer.cancel();
    signal?.removeEventListener('abort', end);
    over.abort();
    worker.on('error', () => {}); // an error that comes now changes nothing
    await worker.terminate();
  }
}
