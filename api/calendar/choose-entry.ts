/** Which paper a playlist shows at a moment: its entries are appointments, with rules like those of a calendar (C-50). */
import { isId } from '../../gateway/runtime/random.ts';
import { isTimezone } from '../http/field-shapes.ts';
import { lastTime } from './event-instances.mjs';
import { ianaOffset, type Offset } from './feed-zones.mjs';
import { momentOf } from './read-time.mjs';
import { Budget, dayMs, occurrences, readRule } from './recurrence.mjs';

const mostEntries = 100;
const longestRule = 300;
/** How far back an entry's latest time is looked for, in days: nearly always it is of yesterday or today. Eight years are a leap day. */
const lookedBackDays = [2, 32, 400, 3_000] as const;
/** Days looked at for the rules of a playlist: some tens of milliseconds (T-53). */
const mostWork = 200_000;

/** An entry whose paper can be shown. `naive` is what clocks in the playlist's zone show when it begins, as if it were UTC. */
interface Entry {
  readonly paperId: string;
  readonly startsAt: { readonly naive: number; readonly at: number };
  readonly durationMs: number;
  readonly rule: string;
}

/** The papers that a playlist names. */
export function playlistPapers(meta: Readonly<Record<string, unknown>>): string[] {
  return entriesOf(meta, inUtc).map(({ paperId }) => paperId);
}

/**
 * The paper of the latest occurrence up to a moment; one that still lasts goes before one that is over, and of two that
 * began together the later entry wins.
 * @param isShowable whether a paper may be shown
 * @returns undefined before the first occurrence
 */
export function playlistPaperAt(
  meta: Readonly<Record<string, unknown>>,
  at: number,
  isShowable: (paperId: string) => boolean,
): string | undefined {
  const timeZone = typeof meta.timezone === 'string' && isTimezone(meta.timezone) ? meta.timezone : 'UTC';
  const offset = ianaOffset(timeZone) ?? inUtc;
  const budget = new Budget(mostWork);
  const begun = entriesOf(meta, offset)
    .filter(({ paperId }) => isShowable(paperId))
    .map((entry, index) => ({ ...entry, index, began: latestTime(entry, { at, offset, budget }) ?? Infinity }))
    .filter(({ began }) => began <= at);
  const lasts = ({ began, durationMs }: (typeof begun)[number]): boolean => at < began + durationMs;
  begun.sort((a, b) => Number(lasts(b)) - Number(lasts(a)) || b.began - a.began || b.index - a.index);
  return begun[0]?.paperId;
}

const inUtc: Offset = () => 0;

/** When an entry began for the last time up to a moment. One whose rule cannot be followed never does. */
function latestTime(
  { startsAt, rule: text }: Entry,
  { at, offset, budget }: { at: number; offset: Offset; budget: Budget },
): number | undefined {
  if (text === '') return startsAt.at;
  try {
    const rule = readRule(text);
    const until = lastTime(rule, { isDate: false, offset });
    for (const days of lookedBackDays) {
      const range = { from: at - days * dayMs, to: at + dayMs, until };
      const times = [...occurrences(rule, startsAt.naive, range, budget)].map((naive) => momentOf(naive, offset));
      const latest = times.findLast((time) => time <= at);
      if (latest !== undefined) return latest;
    }
  } catch {
    // As if it had not been written.
  }
  return undefined;
}

function entriesOf({ playlistEntries }: Readonly<Record<string, unknown>>, offset: Offset): Entry[] {
  const listed: unknown[] = Array.isArray(playlistEntries) ? playlistEntries.slice(0, mostEntries) : [];
  return listed.flatMap((entry) => {
    if (typeof entry !== 'object' || entry === null) return [];
    const { paperId, startsAt, durationMinutes, rrule }: Record<string, unknown> = { ...entry };
    const begins = typeof startsAt === 'string' ? readStart(startsAt, offset) : undefined;
    if (typeof paperId !== 'string' || !isId(paperId) || begins === undefined) return [];
    const minutes = Number(durationMinutes);
    const rule = typeof rrule === 'string' ? rrule.replace(/^RRULE:/i, '').trim() : '';
    if (rule.length > longestRule) return [];
    const durationMs = Number.isFinite(minutes) && minutes > 0 ? minutes * 60_000 : Infinity;
    return [{ paperId, startsAt: begins, durationMs, rule }];
  });
}

/** `2026-03-01T07:00` is local; with an offset or `Z` it is a moment, whose local numbers a rule goes on from. */
function readStart(text: string, offset: Offset): Entry['startsAt'] | undefined {
  const written = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d)?$/.exec(text);
  const at = Date.parse(written?.[2] === undefined ? `${written?.[1]}Z` : text);
  if (Number.isNaN(at)) return undefined;
  return written?.[2] === undefined ? { naive: at, at: momentOf(at, offset) } : { naive: at + offset(at), at };
}
