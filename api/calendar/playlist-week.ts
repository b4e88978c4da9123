/** The pictures of a playlist during the days to come: the rule by which frames get their pictures, followed for a week. */

import { type Reason, reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import { Budget, dayMs, occurrences } from '../../runtime/recurrence/recurrence.ts';
import { momentOfWallClock, type Offset } from '../../runtime/wall-clock.ts';
import {
  type Begun,
  type Entry,
  entriesOf,
  entryAt,
  lastsAt,
  latestTime,
  listedEntries,
  maxEntryWork,
  zoneOfEntries,
} from './choose-entry.ts';
import { entryProblem } from './entry-rule.ts';

const days = 7;
/** The times at which entries may begin within the week, all of them together. */
const maxBegins = 2_000;

/** A part of a day in which one thing is shown. Times are epoch milliseconds. */
export interface WeekBlock {
  /** The place of the entry that is shown; null before the first one begins: the frame keeps its picture. */
  readonly entry: number | null;
  readonly from: number;
  readonly until: number;
  /** Whether the entry is over, and stays because nothing else is planned. */
  readonly stays: boolean;
}

/** A day as clocks of the playlist's zone count it. */
export interface WeekDay {
  readonly date: string;
  readonly from: number;
  readonly until: number;
  readonly blocks: readonly WeekBlock[];
}

/** The week of a playlist; entries are named by their places. */
export interface PlaylistWeek {
  readonly days: readonly WeekDay[];
  /** Entries that another one cuts short or hides, each pair once. */
  readonly covered: readonly { readonly entry: number; readonly by: number; readonly isHidden: boolean }[];
  /** Entries that do not come this week. */
  readonly absent: readonly number[];
  /** Entries whose paper cannot be shown. */
  readonly unshowable: readonly number[];
  /** Entries whose times cannot be read. */
  readonly problems: readonly { readonly entry: number; readonly reason: Reason }[];
}

/** The times of one entry: those before the week, of which the last one counts, and those within it. */
interface Times {
  readonly entry: Entry;
  readonly begins: readonly number[];
}

/**
 * Follows a playlist through seven days.
 * @param now the moment whose day is the first
 * @param isShowable returns whether a paper may be shown
 * @throws Refusal `invalid-request` for a playlist that changes thousands of times a week
 */
export function playlistWeek(
  meta: Readonly<Record<string, unknown>>,
  now: number,
  isShowable: (paperId: string) => boolean,
): PlaylistWeek {
  const offset = zoneOfEntries(meta);
  const entries = entriesOf(meta);
  const week = daysFrom(now, offset);
  const [from, to] = [week[0]?.from ?? now, week.at(-1)?.until ?? now];
  const times = timesOf(
    entries.filter(({ paperId }) => isShowable(paperId)),
    { from, to, offset },
  );
  const { blocks, covered } = follow(
    times,
    week.map((day) => day.from),
    to,
  );
  const problems = listedEntries(meta).flatMap((entry, place) => {
    const reason = entryProblem(entry, offset);
    return reason === undefined ? [] : [{ entry: place, reason }];
  });
  return {
    days: week.map((day) => ({
      ...day,
      blocks: blocks.filter((block) => block.from >= day.from && block.from < day.until),
    })),
    covered,
    absent: times.filter(({ begins }) => !begins.some((at) => at >= from)).map(({ entry }) => entry.place),
    unshowable: entries.filter(({ paperId }) => !isShowable(paperId)).map(({ place }) => place),
    problems,
  };
}

/** The seven days from that of a moment on. One in which clocks are changed has 23 hours, or 25. */
function daysFrom(now: number, offset: Offset): Omit<WeekDay, 'blocks'>[] {
  const today = Math.floor((now + offset(now)) / dayMs);
  const begin = (day: number): number => momentOfWallClock(day * dayMs, offset);
  return Array.from({ length: days }, (_, index) => {
    const day = today + index;
    return { date: new Date(day * dayMs).toISOString().slice(0, 10), from: begin(day), until: begin(day + 1) };
  });
}

function timesOf(entries: readonly Entry[], week: { from: number; to: number; offset: Offset }): Times[] {
  const { from, to, offset } = week;
  const budget = new Budget(maxEntryWork);
  let left = maxBegins;
  return entries.map((entry) => {
    const before = latestTime(entry, { at: from - 1, offset, budget });
    const within: number[] = [];
    for (const at of timesAround(entry, week, budget)) {
      if (at < from || at >= to) continue;
      if (--left < 0) throw refuse('invalid-request', { message: reasonOf('week-too-full', { most: maxBegins }) });
      within.push(at);
    }
    const known = before === undefined || before >= from ? [] : [before];
    return { entry, begins: [...known, ...within.sort((a, b) => a - b)] };
  });
}

/**
 * Returns the times at which an entry begins, from a day before a span to a day after it, in the order in which its rule names
 * them; none for an entry that takes too long to follow.
 */
export function timesAround(
  { start, rule }: Entry,
  { from, to, offset }: { from: number; to: number; offset: Offset },
  budget: Budget,
): number[] {
  if (rule === undefined) return [start.at];
  const range = { from: from - dayMs, to: to + dayMs, until: rule.last };
  try {
    return [...occurrences(rule, start.naive, range, budget)].map((naive) => momentOfWallClock(naive, offset));
  } catch {
    return [];
  }
}

/** Follows what is shown from one change to the next; each day begins a block of its own. */
function follow(times: readonly Times[], dayStarts: readonly number[], to: number) {
  const from = dayStarts[0] ?? to;
  const changes = times.flatMap(({ entry, begins }) => begins.flatMap((at) => [at, at + entry.durationMs]));
  const moments = [...new Set([...dayStarts, ...changes.filter((at) => at > from && at < to)])].sort((a, b) => a - b);
  const next = times.map(() => 0);
  const blocks: WeekBlock[] = [];
  const covered = new Map<string, { entry: number; by: number; isHidden: boolean }>();
  let last: Begun | undefined;
  for (const [index, at] of moments.entries()) {
    const begun = times.flatMap(({ entry, begins }, place) => {
      while ((begins[next[place] ?? 0] ?? Infinity) <= at) next[place] = (next[place] ?? 0) + 1;
      const began = begins[(next[place] ?? 0) - 1];
      return began === undefined ? [] : [{ place: entry.place, durationMs: entry.durationMs, began }];
    });
    const shown = entryAt(begun, at);
    for (const one of coveredAt(begun, { shown, last, at }))
      if (!covered.has(`${one.entry} ${one.by}`)) covered.set(`${one.entry} ${one.by}`, one);
    const until = moments[index + 1] ?? to;
    const block = {
      entry: shown?.place ?? null,
      from: at,
      until,
      stays: shown !== undefined && !lastsAt(shown, at),
    };
    const before = blocks.at(-1);
    const isSame = before?.entry === block.entry && before.stays === block.stays && !dayStarts.includes(at);
    if (before !== undefined && isSame) blocks[blocks.length - 1] = { ...before, until };
    else blocks.push(block);
    last = shown;
  }
  return { blocks, covered: [...covered.values()] };
}

/** The entries that lose their place at a moment: one that another begins within, and one that begins with another. */
function coveredAt(
  begun: readonly Begun[],
  { shown, last, at }: { shown: Begun | undefined; last: Begun | undefined; at: number },
) {
  if (shown === undefined || shown.began !== at) return [];
  const hidden = begun.filter(({ place, began }) => began === at && place !== shown.place);
  const isCut =
    last !== undefined &&
    last.place !== shown.place &&
    last.durationMs < Infinity &&
    last.began < at &&
    lastsAt(last, at);
  return [
    ...hidden.map(({ place }) => ({ entry: place, by: shown.place, isHidden: true })),
    ...(isCut ? [{ entry: last.place, by: shown.place, isHidden: false }] : []),
  ];
}
