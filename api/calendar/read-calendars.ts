/** Reads a paper's calendars together: their events, and which of them could be read. */

import { setMaxListeners } from 'node:events';
import { z } from 'zod';
import { type Reason, type Reasons, reasonOf } from '../../reasons/reason.ts';
import { wordsOf } from '../../reasons/words.ts';
import type { Clock } from '../../runtime/clock.ts';
import { fairShares, type Sharer } from '../../runtime/fair-shares.ts';
import type { AddressLogin } from '../outgoing/address-login.ts';
import { expandFeed, type FeedEvent, type FeedRange, type GuessedZone } from './expand-feed.ts';
import { calendarNames, calendarView, type Feed, feedsOf, selectionOf, type UnusableFeed } from './feed-list.ts';
import type { FetchFeed } from './fetch-feed.ts';

/** The time of an event: a moment, or a date for whole days. */
const eventTime = z.union([z.object({ dateTime: z.string(), timeZone: z.string() }), z.object({ date: z.string() })]);

/** An event as pages know it, whatever it was read from (PAGE-12). */
export const calendarEvent = z.object({
  calendar: z.string(),
  summary: z.string(),
  location: z.string().optional(),
  start: eventTime,
  end: eventTime,
});

export const calendarShown = z.object({ key: z.string(), name: z.string(), color: z.string().optional() });

export const calendarRead = z.object({
  /**
   * `status` sums up: all, some or none could be read, or there are none. A calendar has "ok", or the reason why not.
   */
  calendarAuth: z.object({
    status: z.enum(['ok', 'partial', 'failed', 'none']),
    calendars: z.record(z.string(), z.string()),
  }),
  calendarData: z.object({ calendars: z.array(calendarShown), events: z.array(calendarEvent) }),
});

export type CalendarEvent = z.output<typeof calendarEvent>;
/** The calendars that were read; by key, `problems` states why one was not, and `remarks` what was guessed. */
export type CalendarRead = z.output<typeof calendarRead> & {
  readonly problems?: Readonly<Record<string, Reason>>;
  readonly remarks?: Readonly<Record<string, Reasons>>;
  /** When each feed answered, epoch milliseconds. */
  readonly answeredAt?: Readonly<Record<string, number>>;
};

/** The part of a paper's calendars that is asked for. An omitted option follows the paper's meta. */
export interface CalendarOptions {
  /** The sharer that waits: the paper's organization, the purpose, the paper (T-60). */
  readonly sharer: Sharer;
  /** The signal that ends the reading: the call rejects with its reason. */
  readonly signal?: AbortSignal;
  readonly meta: Readonly<Record<string, unknown>>;
  /** The moment whose day is the first, epoch milliseconds. */
  readonly at: number;
  readonly dayRange?: number | undefined;
  readonly maxEvents?: number | undefined;
  /** The marks of calendars by key; left out, the meta's `selectedCalendars`. */
  readonly selected?: Readonly<Record<string, boolean>> | undefined;
  /** Logins that are tried before a paper has them; left out, those of the paper. */
  readonly logins?: readonly AddressLogin[] | undefined;
  /** Whether feeds are asked again, unless that happened seconds ago. */
  readonly latest?: boolean;
}

/** Reads a paper's calendars. Never throws for what feeds do. */
export type ReadCalendars = (options: CalendarOptions) => Promise<CalendarRead>;

/** The age that a feed may have for a rendering, and for somebody who asked for the latest. */
const youngerThanMs = { rendering: 5 * 60_000, latest: 10_000 };
/** The feeds that are fetched and read at once; each may hold its text of some megabytes all the while. */
const feedPlaces = { atOnce: 8, ofOne: 4 };
/**
 * The threads that read at once; each may take 75 MB and, for a hostile feed, some seconds. One of the two is always
 * there for the others.
 */
const threadPlaces = { atOnce: 2, ofOne: 1 };
/** A picture or a preview waits for its calendars no longer than this, however many there are. */
const patienceMs = 60_000;

interface ReaderDeps {
  readonly clock: Clock;
  readonly fetchFeed: FetchFeed;
  readonly expand?: typeof expandFeed;
  /** The logins that a paper has for its addresses; left out, none. */
  readonly loginsOf?: (paper: {
    readonly id: string;
    readonly organization_id: string;
  }) => Promise<readonly AddressLogin[]>;
}

type Entry = Feed | UnusableFeed;

/** The outcome of one calendar: why it could not be read whole, if so, and its events. */
interface FeedRead {
  readonly problem?: Reason | undefined;
  /** When its feed answered, epoch milliseconds. */
  readonly at?: number | undefined;
  readonly events: readonly FeedEvent[];
  readonly remarks?: Reasons | undefined;
}

/** Makes the reader of a process. */
export function calendarReader({ clock, fetchFeed, expand = expandFeed, loginsOf }: ReaderDeps): ReadCalendars {
  const feeds = fairShares(feedPlaces);
  const threads = fairShares(threadPlaces);

  /** Reads one feed. It is fetched when its turn has come and not before, so that a waiting feed holds no text. */
  function readFeed(
    { addresses }: Feed,
    options: CalendarOptions,
    range: FeedRange,
    signal: AbortSignal,
  ): Promise<FeedRead> {
    const { sharer } = options;
    const age = options.latest === true ? youngerThanMs.latest : youngerThanMs.rendering;
    const work = async (): Promise<FeedRead> => {
      const [organization = '', , paper = ''] = sharer;
      const logins = options.logins ?? (await loginsOf?.({ id: paper, organization_id: organization }));
      const { text, at, problem } = await fetchFeed(addresses, age, { sharer, signal, logins });
      if (text === undefined) return { problem: problem ?? reasonOf('calendar-not-read'), events: [] };
      const read = await threads.run(sharer, () => expand(clock, text, range, { signal }), signal);
      if (!read.ok) return { problem: problem ?? read.problem, events: [] };
      return { problem, at, events: read.events, remarks: remarksOn(read.guessed) };
    };
    return feeds.run(sharer, work, signal);
  }

  async function readAll(entries: readonly Entry[], options: CalendarOptions, range: FeedRange): Promise<FeedRead[]> {
    const patience = new AbortController();
    const timer = clock.after(patienceMs, () => patience.abort());
    const signal = options.signal === undefined ? patience.signal : AbortSignal.any([options.signal, patience.signal]);
    setMaxListeners(0, signal);
    const read = async (entry: Entry): Promise<FeedRead> => {
      if ('problem' in entry) return { problem: entry.problem, events: [] };
      try {
        return await readFeed(entry, options, range, signal);
      } catch (error) {
        if (!patience.signal.aborted) throw error;
        return { problem: reasonOf('calendars-take-long'), events: [] };
      }
    };
    try {
      return await Promise.all(entries.map(read));
    } finally {
      timer.cancel();
    }
  }

  return async (options) => {
    const view = calendarView(options.meta);
    const { dayRange = view.dayRange, maxEvents = view.maxEvents } = options;
    const isSelected = selectionOf(options.selected ?? options.meta.selectedCalendars);
    const entries = feedsOf(options.meta).filter(({ key }) => isSelected(key));
    const range = { at: options.at, dayRange, timeZone: view.timeZone, maxEvents: maxEvents };
    const reads = await readAll(entries, options, range);
    const read = reasonOf('calendar-read');
    const each = entries.map(({ key }, index) => [key, wordsOf(reads[index]?.problem ?? read)] as const);
    const problems = eachOf(entries, reads, 'problem');
    const events = entries.flatMap(({ key }, index) => (reads[index]?.events ?? []).map((event) => ({ key, event })));
    events.sort((a, b) => a.event.at - b.event.at);
    return {
      calendarAuth: { status: statusOf(entries.length, problems.length), calendars: Object.fromEntries(each) },
      calendarData: {
        calendars: shownFeeds(entries),
        events: events.slice(0, maxEvents).map(({ key, event }) => shownEvent(key, event, view.timeZone)),
      },
      ...mapOf('problems', problems),
      ...mapOf('remarks', eachOf(entries, reads, 'remarks')),
      ...mapOf('answeredAt', eachOf(entries, reads, 'at')),
    };
  };
}

/** Lists the calendars whose addresses could be read. */
const shownFeeds = (entries: readonly Entry[]): CalendarRead['calendarData']['calendars'] =>
  entries.flatMap((entry) =>
    'problem' in entry ? [] : [{ key: entry.key, name: entry.name, ...(entry.color && { color: entry.color }) }],
  );

/** Returns a field with a map by key, and none where there is nothing in it. */
const mapOf = <Field extends string, Value>(
  field: Field,
  entries: readonly (readonly [string, Value])[],
): Partial<Record<Field, Readonly<Record<string, Value>>>> =>
  entries.length === 0 ? {} : ({ [field]: Object.fromEntries(entries) } as Record<Field, Record<string, Value>>);

/** Lists why calendars could not be read, what was guessed at in them, or when they answered, by their keys. */
function eachOf<Field extends 'problem' | 'remarks' | 'at'>(
  entries: readonly Entry[],
  reads: readonly FeedRead[],
  field: Field,
): (readonly [key: string, told: NonNullable<FeedRead[Field]>])[] {
  return entries.flatMap(({ key }, index) => {
    const told = reads[index]?.[field];
    return told === undefined ? [] : [[key, told] as const];
  });
}

/** Says what had to be guessed. */
function remarksOn(guessed: readonly GuessedZone[]): Reasons | undefined {
  const each = guessed.map(({ zone, taken }) =>
    reasonOf('calendar-zone-guessed', { zone: zone.replaceAll(/[;\s]+/g, ' ').trim(), taken }),
  );
  return each.length === 0 ? undefined : each;
}

/** Returns the remarks on a paper's calendars, each with what people call the calendar; undefined where there are none. */
export function calendarRemarks(
  { remarks = {} }: CalendarRead,
  meta: Readonly<Record<string, unknown>>,
): readonly Reason[] | undefined {
  const names = calendarNames(meta);
  const each = Object.entries(remarks).map(([key, because]) =>
    reasonOf('of-calendar', { calendar: names.get(key) ?? key, because }),
  );
  return each.length === 0 ? undefined : each;
}

function statusOf(all: number, unread: number): CalendarRead['calendarAuth']['status'] {
  if (all === 0) return 'none';
  return unread === 0 ? 'ok' : unread === all ? 'failed' : 'partial';
}

function shownEvent(key: string, event: FeedEvent, timeZone: string): CalendarEvent {
  const time = (text: string) => (event.allDay ? { date: text } : { dateTime: text, timeZone });
  return {
    calendar: key,
    summary: event.summary,
    ...(event.location !== '' && { location: event.location }),
    start: time(event.start),
    end: time(event.end),
  };
}
