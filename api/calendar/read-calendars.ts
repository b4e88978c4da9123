/** A paper's calendars, read together: what takes place, and which of them could be read (A-26, P-12). */
import { z } from 'zod';
import type { Clock } from '../../gateway/runtime/clock.ts';
import { startOfDate } from '../../gateway/runtime/local-time.ts';
import { type ExpandedFeed, expandFeed, type FeedEvent } from './expand-feed.ts';
import { calendarView, type Feed, feedsOf, selectionOf } from './feed-list.ts';
import type { FetchFeed } from './fetch-feed.ts';

/** Time of an event: a moment, or a date for whole days. */
const eventTime = z.union([z.object({ dateTime: z.string(), timeZone: z.string() }), z.object({ date: z.string() })]);

/** P-12: events as pages know them, whatever they were read from. */
export const calendarEvent = z.object({
  calendar: z.string(),
  summary: z.string(),
  location: z.string().optional(),
  start: eventTime,
  end: eventTime,
});

export const calendarShown = z.object({ key: z.string(), name: z.string(), color: z.string().optional() });

export const calendarRead = z.object({
  /** `status` sums up: all, some or none could be read, or there are none. A calendar says "ok" or why not. */
  calendarAuth: z.object({
    status: z.enum(['ok', 'partial', 'failed', 'none']),
    calendars: z.record(z.string(), z.string()),
  }),
  calendarData: z.object({ calendars: z.array(calendarShown), events: z.array(calendarEvent) }),
});

export type CalendarEvent = z.output<typeof calendarEvent>;
export type CalendarRead = z.output<typeof calendarRead>;

/** What of a paper's calendars is asked for. What is left out is as the paper's meta says. */
export interface CalendarWish {
  readonly meta: Readonly<Record<string, unknown>>;
  /** The moment whose day is the first, epoch milliseconds. */
  readonly at: number;
  readonly dayRange?: number;
  readonly maxEvents?: number;
  /** Marks of calendars by key; left out, the meta's `selectedCalendars`. */
  readonly selected?: Readonly<Record<string, boolean>>;
  /** Whether feeds are asked anew, unless that happened seconds ago. */
  readonly latest?: boolean;
}

/** Reads a paper's calendars. Never throws for what feeds do. */
export type ReadCalendars = (wish: CalendarWish) => Promise<CalendarRead>;

/** How old a feed may be for a rendering, and for somebody who asked for the latest. */
const youngerThanMs = { rendering: 5 * 60_000, latest: 10_000 };
/** Feeds fetched and expanded at once for one paper. */
const mostAtOnce = 4;

/** A reader for the process. */
export function calendarReader(edges: { readonly clock: Clock; readonly fetchFeed: FetchFeed }): ReadCalendars {
  return async (wish) => {
    const view = calendarView(wish.meta);
    const { dayRange = view.dayRange, maxEvents = view.maxEvents } = wish;
    const isSelected = selectionOf(wish.selected ?? wish.meta.selectedCalendars);
    const entries = feedsOf(wish.meta).filter(({ key }) => isSelected(key));
    const range = { at: wish.at, dayRange, timeZone: view.timeZone, mostEvents: maxEvents };
    const says = new Map<string, string>();
    const found: { readonly feed: Feed; readonly event: FeedEvent; readonly at: number }[] = [];
    const waiting = [...entries];
    const work = async (): Promise<void> => {
      for (let entry = waiting.shift(); entry !== undefined; entry = waiting.shift()) {
        if ('problem' in entry) {
          says.set(entry.key, entry.problem);
          continue;
        }
        const feed = entry;
        const age = wish.latest === true ? youngerThanMs.latest : youngerThanMs.rendering;
        const { text, problem } = await edges.fetchFeed(feed.url, age);
        const read: ExpandedFeed =
          text === undefined ? { ok: false, problem: '' } : await expandFeed(edges.clock, text, range);
        says.set(feed.key, problem ?? (read.ok ? 'ok' : read.problem));
        if (read.ok) found.push(...read.events.map((event) => ({ feed, event, at: beginOf(event, view.timeZone) })));
      }
    };
    await Promise.all(Array.from({ length: mostAtOnce }, work));
    found.sort((a, b) => a.at - b.at);
    return {
      calendarAuth: {
        status: statusOf([...says.values()]),
        calendars: Object.fromEntries(entries.map(({ key }) => [key, says.get(key) ?? 'it was not read'])),
      },
      calendarData: {
        calendars: entries.flatMap((entry) =>
          'problem' in entry ? [] : [{ key: entry.key, name: entry.name, ...(entry.color && { color: entry.color }) }],
        ),
        events: found.slice(0, maxEvents).map(({ feed, event }) => shownEvent(feed, event, view.timeZone)),
      },
    };
  };
}

/** Whole days begin with the day before the frame, whatever zone they were written in. */
function beginOf(event: FeedEvent, timeZone: string): number {
  return event.allDay ? startOfDate(event.start, timeZone) : event.at;
}

function statusOf(said: readonly string[]): CalendarRead['calendarAuth']['status'] {
  if (said.length === 0) return 'none';
  const read = said.filter((what) => what === 'ok').length;
  return read === said.length ? 'ok' : read === 0 ? 'failed' : 'partial';
}

function shownEvent({ key }: Feed, event: FeedEvent, timeZone: string): CalendarEvent {
  const time = (text: string) => (event.allDay ? { date: text } : { dateTime: text, timeZone });
  return {
    calendar: key,
    summary: event.summary,
    ...(event.location !== '' && { location: event.location }),
    start: time(event.start),
    end: time(event.end),
  };
}
