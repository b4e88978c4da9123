/** Changes that come by clocks, by schedules and at a pace. */
import type { PlannedChange } from '../../gateway/frames/planned-changes.ts';
import { reasonOf } from '../../reasons/reason.ts';
import { addDays, localDate, startOfDate } from '../../runtime/local-time.ts';
import { calendarView, hasCalendars } from '../calendar/feed-list.ts';
import { isTimezone } from '../http/field-shapes.ts';
import { hoursOfAlbum } from '../papers/album-pace.ts';
import { changingKinds } from '../papers/kinds.ts';
import { nextRun } from '../papers/schedule.ts';
import type { PlannedPaper, Span } from './planned-paper.ts';

const hourMs = 3_600_000;
/** The time within which something that is fetched at a time, and not before, is in the picture. */
export const fetchedWithinMs = 45_000;

type Changes = (paper: PlannedPaper, span: Span) => readonly PlannedChange[];

/** Returns when days begin in a zone: the first valid moment of each (WK-20). */
function daysIn(timeZone: string, { after, until, most }: Span): readonly number[] {
  const begins: number[] = [];
  let date = localDate(after, timeZone);
  while (begins.length < most) {
    date = addDays(date, 1);
    const at = startOfDate(date, timeZone);
    if (at > until) break;
    if (at > (begins.at(-1) ?? after)) begins.push(at);
  }
  return begins;
}

/**
 * A calendar draws an event alike all its day, so that days alone change it; the page of an integration that asks for
 * calendars may show what is on.
 */
export const changesByDay: Changes = ({ kind, meta }, span) => {
  if (!hasCalendars(kind, meta)) return [];
  const change = { reason: reasonOf('change-day'), mayShowEarly: true };
  return daysIn(calendarView(meta).timeZone, span).map((at) => ({ at, ...change }));
};

/** The begin and the end of each event that a page shows. */
export const changesByEvents: Changes = ({ kind, events = [] }, { after, until, most }) => {
  if (kind === 'calendar') return [];
  return events
    .flatMap(({ begins, ends }): PlannedChange[] => [
      { at: begins, reason: reasonOf('change-event-begins'), mayShowEarly: true },
      { at: ends, reason: reasonOf('change-event-ends'), mayShowEarly: true },
    ])
    .filter(({ at }) => at > after && at <= until)
    .sort((one, other) => one.at - other.at)
    .slice(0, most);
};

/** Pages that a cron line has drawn again. */
export const changesBySchedule: Changes = ({ kind, meta }, { after, until, most }) => {
  if (!changingKinds.includes(kind)) return [];
  const changes: PlannedChange[] = [];
  let run = nextRun(meta, after - fetchedWithinMs);
  while (run !== null && run + fetchedWithinMs <= until && changes.length < most) {
    changes.push({ at: run + fetchedWithinMs, reason: reasonOf('change-schedule'), mayShowEarly: false });
    run = nextRun(meta, run);
  }
  return changes;
};

/** Recipes whose sources are asked at a pace. */
export const changesByAsking: Changes = ({ asked }, { after, until, most }) => {
  if (asked === undefined) return [];
  const reason = reasonOf('change-asked');
  return everyFrom(asked.dueAt + fetchedWithinMs, asked.everyMs, { after, until, most }).map((at) => ({
    at,
    reason,
    mayShowEarly: false,
  }));
};

/** Albums whose pictures change each day, or after some hours. */
export const changesOfAlbum: Changes = ({ meta, album }, span) => {
  if (album === undefined || album.pictures < 2) return [];
  const { every, timezone } = meta;
  const hours = hoursOfAlbum(meta);
  const change = { reason: reasonOf('change-album'), mayShowEarly: true };
  if (hours !== undefined) {
    const everyMs = hours * hourMs;
    return everyFrom(album.since + everyMs, everyMs, span).map((at) => ({ at, ...change }));
  }
  if (every !== 'day') return [];
  const timeZone = typeof timezone === 'string' && isTimezone(timezone) ? timezone : 'UTC';
  return daysIn(timeZone, span).map((at) => ({ at, ...change }));
};

function everyFrom(first: number, everyMs: number, { after, until, most }: Span): readonly number[] {
  const times: number[] = [];
  const passed = Math.max(0, Math.floor((after - first) / everyMs) + 1);
  for (let at = first + passed * everyMs; at <= until && times.length < most; at += everyMs) times.push(at);
  return times;
}
