/** When a playlist goes over to another paper: the rule by which it is drawn, followed through a span. */
import { Budget } from '../../runtime/recurrence/recurrence.ts';
import type { Offset } from '../../runtime/wall-clock.ts';
import { type Entry, entriesOf, entryAt, latestTime, maxEntryWork, zoneOfEntries } from '../calendar/choose-entry.ts';
import { timesAround } from '../calendar/playlist-week.ts';
import type { Span } from './planned-paper.ts';

const hourMs = 3_600_000;
/** The first part of a span that is looked at; each further one is this many times as long. */
const firstPartMs = 2 * hourMs;
const growth = 4;

/** A change of the paper that a playlist shows; undefined before it begins. */
export interface PlaylistChangeover {
  readonly at: number;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** The changeovers of a span, and the paper that is shown when it begins. */
export interface PlaylistChangeovers {
  readonly first: string | undefined;
  readonly changeovers: readonly PlaylistChangeover[];
}

/** The times of an entry around a part of a span: the last one before it, and those that its rule names there. */
interface Times {
  readonly entry: Entry;
  readonly before: number | undefined;
  readonly around: readonly number[];
}

/**
 * Finds the changeovers of a playlist.
 * @param isShowable returns whether a paper may be shown
 */
export function playlistChangeovers(
  meta: Readonly<Record<string, unknown>>,
  isShowable: (paperId: string) => boolean,
  { after, until, most }: Span,
): PlaylistChangeovers {
  const offset = zoneOfEntries(meta);
  const entries = entriesOf(meta).filter(({ paperId }) => isShowable(paperId));
  const changeovers: PlaylistChangeover[] = [];
  let first: string | undefined;
  let [from, partMs] = [after, firstPartMs];
  do {
    const to = Math.min(until, from + partMs);
    const times = timesIn(entries, { from, to, offset });
    if (from === after) first = shownAt(times, after);
    let shown = changeovers.length === 0 ? first : changeovers.at(-1)?.to;
    for (const at of momentsOf(times, from, to)) {
      const next = shownAt(times, at);
      if (next === shown) continue;
      changeovers.push({ at, from: shown, to: next });
      if (changeovers.length >= most) return { first, changeovers };
      shown = next;
    }
    [from, partMs] = [to, partMs * growth];
  } while (from < until);
  return { first, changeovers };
}

function timesIn(
  entries: readonly Entry[],
  { from, to, offset }: { readonly from: number; readonly to: number; readonly offset: Offset },
): readonly Times[] {
  const budget = new Budget(maxEntryWork);
  return entries.map((entry) => ({
    entry,
    before: latestTime(entry, { at: from, offset, budget }),
    around: timesAround(entry, { from, to, offset }, budget),
  }));
}

const shownAt = (times: readonly Times[], at: number): string | undefined =>
  entryAt(
    times.flatMap(({ entry, before = Infinity, around }) => {
      // In the order of the rule, as the playlist is drawn: a time that clocks skip may come after the one that follows it.
      const began = around.findLast((time) => time <= at) ?? before;
      return began <= at ? [{ ...entry, began }] : [];
    }),
    at,
  )?.paperId;

/** The moments at which an entry begins or is over, in their order. */
function momentsOf(times: readonly Times[], from: number, to: number): readonly number[] {
  const begins = times.flatMap(({ entry, before, around }) =>
    [...around, ...(before === undefined ? [] : [before])].flatMap((at) => [at, at + entry.durationMs]),
  );
  return [...new Set(begins.filter((at) => at > from && at <= to))].sort((one, other) => one - other);
}
