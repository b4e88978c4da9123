/**
 * Chooses the paper that a playlist shows at a moment: its entries are appointments, with rules like those of a
 * calendar.
 */

import type { Reason } from '../../reasons/reason.ts';
import { zoneOffset } from '../../runtime/local-time.ts';
import { isId } from '../../runtime/random.ts';
import { Budget, dayMs, occurrences } from '../../runtime/recurrence/recurrence.ts';
import { momentOfWallClock, type Offset } from '../../runtime/wall-clock.ts';
import { isTimezone } from '../http/field-shapes.ts';
import { withinField } from '../http/fit-schema.ts';
import { type EntryTimes, entryProblem, entryTimes } from './entry-rule.ts';

const maxEntries = 100;
/**
 * The days for which an entry's latest time is looked for backwards: nearly always it is of yesterday or today. Two
 * leap days are eight years apart at most.
 */
const lookedBackDays = [2, 32, 400, 3_000] as const;
/** The days that may be looked at for the rules of a playlist, which takes some tens of milliseconds (T-53). */
export const maxEntryWork = 200_000;

/** An entry that can be read. */
export interface Entry extends EntryTimes {
  /** Its place among the entries as they are listed. */
  readonly place: number;
  readonly paperId: string;
  readonly durationMs: number;
}

type Meta = Readonly<Record<string, unknown>>;

/** Returns the papers that a playlist names. */
export function playlistPapers(meta: Meta): string[] {
  return entriesOf(meta).map(({ paperId }) => paperId);
}

/**
 * Returns the paper of the latest occurrence up to a moment. An occurrence that still lasts goes before one that is
 * over, and of two that began together the later entry wins.
 * @param isShowable returns whether a paper may be shown
 * @returns undefined before the first occurrence
 */
export function playlistPaperAt(meta: Meta, at: number, isShowable: (paperId: string) => boolean): string | undefined {
  const offset = zoneOfEntries(meta);
  const budget = new Budget(maxEntryWork);
  const begun = entriesOf(meta)
    .filter(({ paperId }) => isShowable(paperId))
    .map((entry) => ({ ...entry, began: latestTime(entry, { at, offset, budget }) ?? Infinity }))
    .filter(({ began }) => began <= at);
  return entryAt(begun, at)?.paperId;
}

/** An entry that has begun, with the time at which it did so last, epoch milliseconds. */
export type Begun = Pick<Entry, 'place' | 'durationMs'> & { readonly began: number };

/** Whether an entry that has begun still lasts at a moment. */
export const lastsAt = ({ began, durationMs }: Begun, at: number): boolean => at < began + durationMs;

/** Chooses the entry that a playlist shows at a moment among those that have begun; undefined of none. */
export function entryAt<One extends Begun>(begun: readonly One[], at: number): One | undefined {
  const isBefore = (one: One, other: One): boolean =>
    (Number(lastsAt(one, at)) - Number(lastsAt(other, at)) || one.began - other.began || one.place - other.place) > 0;
  return begun.reduce<One | undefined>(
    (best, one) => (best === undefined || isBefore(one, best) ? one : best),
    undefined,
  );
}

/** Returns the time at which the first of a playlist's entries begins that has not begun yet; undefined when all have. */
export function playlistBegin(meta: Meta, at: number, isShowable: (paperId: string) => boolean): number | undefined {
  const later = entriesOf(meta).flatMap(({ paperId, start }) =>
    start.at > at && isShowable(paperId) ? [start.at] : [],
  );
  return later.length === 0 ? undefined : Math.min(...later);
}

/**
 * Finds the first of a playlist's entries with malformed times, and returns what is wrong; undefined when there is
 * none. The person who saves the playlist is shown it; such an entry never begins when it is stored already.
 */
export function playlistProblem(meta: Meta): Reason | undefined {
  const listed = listedEntries(meta);
  if (listed.length === 0) return undefined;
  const offset = zoneOfEntries(meta);
  for (const [index, entry] of listed.entries()) {
    const problem = entryProblem(entry, offset);
    if (problem !== undefined) return withinField(`playlistEntries[${index}]`, problem);
  }
  return undefined;
}

/**
 * Returns the time at which an entry began last up to a moment. An entry whose rule takes too long to follow never
 * begins.
 */
export function latestTime(
  { start, rule }: EntryTimes,
  { at, offset, budget }: { at: number; offset: Offset; budget: Budget },
): number | undefined {
  if (rule === undefined) return start.at;
  try {
    for (const days of lookedBackDays) {
      const range = { from: at - days * dayMs, to: at + dayMs, until: rule.last };
      const times = [...occurrences(rule, start.naive, range, budget)].map((naive) => momentOfWallClock(naive, offset));
      const latest = times.findLast((time) => time <= at);
      if (latest !== undefined) return latest;
    }
  } catch {
    // The entry counts as if it had not been written.
  }
  return undefined;
}

/** Returns the entries of a playlist that name a paper and times that can be read. */
export function entriesOf(meta: Meta): Entry[] {
  const offset = zoneOfEntries(meta);
  return listedEntries(meta).flatMap((entry, place) => {
    const { paperId, durationMinutes } = entry;
    if (typeof paperId !== 'string' || !isId(paperId)) return [];
    const minutes = Number(durationMinutes);
    const durationMs = Number.isFinite(minutes) && minutes > 0 ? minutes * 60_000 : Infinity;
    try {
      return [{ place, paperId, durationMs, ...entryTimes(entry, offset) }];
    } catch {
      return [];
    }
  });
}

/** Lists a playlist's entries; an item that is not an entry at all stands for an empty one. */
export function listedEntries({ playlistEntries }: Meta): Record<string, unknown>[] {
  const listed: unknown[] = Array.isArray(playlistEntries) ? playlistEntries.slice(0, maxEntries) : [];
  return listed.map((entry) => (typeof entry === 'object' && entry !== null ? { ...entry } : {}));
}

/** Returns the offset of the zone that a playlist's times are in. */
export function zoneOfEntries({ timezone }: Meta): Offset {
  return zoneOffset(typeof timezone === 'string' && isTimezone(timezone) ? timezone : 'UTC');
}
