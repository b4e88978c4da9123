/** Which paper a playlist shows at a moment: its entries are appointments, with rules like those of a calendar (C-50). */
import type { Clock } from '../../gateway/runtime/clock.ts';
import { localTime } from '../../gateway/runtime/local-time.ts';
import { isId } from '../../gateway/runtime/random.ts';
import { isTimezone } from '../http/field-shapes.ts';
import { expandFeed } from './expand-feed.ts';

const mostEntries = 100;
const dayMs = 86_400_000;
/** How far back an occurrence is looked for, in days: nearly always one of yesterday and today is the latest. */
const lookedBackDays = [2, 32] as const;
const mostOccurrences = 5_000;

/** An entry whose paper can be shown. `startsAt` has numbers as clocks in the playlist's zone show them. */
interface Entry {
  readonly paperId: string;
  readonly startsAt: { readonly local: string; readonly at: number | undefined };
  readonly durationMs: number | undefined;
  readonly rule: string | undefined;
}

interface Occurrence {
  readonly index: number;
  readonly at: number;
}

/** The papers that a playlist names. */
export function playlistPapers(meta: Readonly<Record<string, unknown>>): string[] {
  return entriesOf(meta, 'UTC').map(({ paperId }) => paperId);
}

/**
 * The paper of the latest occurrence up to a moment; one that still lasts goes before one that is over, and of two that
 * began together the later entry wins.
 * @param isShowable whether a paper may be shown
 * @returns undefined before the first occurrence
 */
export async function playlistPaperAt(
  clock: Clock,
  meta: Readonly<Record<string, unknown>>,
  at: number,
  isShowable: (paperId: string) => boolean,
): Promise<string | undefined> {
  const timeZone = typeof meta.timezone === 'string' && isTimezone(meta.timezone) ? meta.timezone : 'UTC';
  const entries = entriesOf(meta, timeZone).filter(({ paperId }) => isShowable(paperId));
  let found: readonly Occurrence[] = [];
  for (const days of lookedBackDays) {
    found = await occurrences(clock, entries, { at, days, timeZone });
    if (found.length > 0) break;
  }
  const lasts = ({ index, at: began }: Occurrence): boolean => at < began + (entries[index]?.durationMs ?? Infinity);
  const best = [...found].sort((a, b) => Number(lasts(b)) - Number(lasts(a)) || b.at - a.at || b.index - a.index)[0];
  return best === undefined ? undefined : entries[best.index]?.paperId;
}

async function occurrences(
  clock: Clock,
  entries: readonly Entry[],
  { at, days, timeZone }: { at: number; days: number; timeZone: string },
): Promise<readonly Occurrence[]> {
  const once = entries.flatMap(({ rule, startsAt }, index) =>
    rule === undefined && startsAt.at !== undefined && startsAt.at <= at ? [{ index, at: startsAt.at }] : [],
  );
  const text = asFeed(entries, timeZone);
  if (text === undefined) return once;
  const range = { at: at - days * dayMs, dayRange: days + 1, timeZone, mostEvents: mostOccurrences };
  const expanded = await expandFeed(clock, text, range);
  const repeated = expanded.ok ? expanded.events.map((event) => ({ index: Number(event.summary), at: event.at })) : [];
  return [...once, ...repeated.filter((occurrence) => occurrence.at <= at)];
}

/** Entries that repeat, and those given by local time, as a calendar whose titles are the entries' places. */
function asFeed(entries: readonly Entry[], timeZone: string): string | undefined {
  const events = entries.flatMap(({ rule, startsAt }, index) =>
    rule === undefined && startsAt.at !== undefined
      ? []
      : [
          'BEGIN:VEVENT',
          `UID:${index}`,
          `DTSTART;TZID=${timeZone}:${startsAt.local}`,
          ...(rule === undefined ? [] : [`RRULE:${rule}`]),
          `SUMMARY:${index}`,
          'END:VEVENT',
        ],
  );
  if (events.length === 0) return undefined;
  return ['BEGIN:VCALENDAR', ...events, 'END:VCALENDAR', ''].join('\r\n');
}

function entriesOf({ playlistEntries }: Readonly<Record<string, unknown>>, timeZone: string): Entry[] {
  const listed: unknown[] = Array.isArray(playlistEntries) ? playlistEntries.slice(0, mostEntries) : [];
  return listed.flatMap((entry) => {
    if (typeof entry !== 'object' || entry === null) return [];
    const { paperId, startsAt, durationMinutes, rrule }: Record<string, unknown> = { ...entry };
    const begins = typeof startsAt === 'string' ? readStart(startsAt, timeZone) : undefined;
    if (typeof paperId !== 'string' || !isId(paperId) || begins === undefined) return [];
    const minutes = Number(durationMinutes);
    const rule = typeof rrule === 'string' ? rrule.replace(/^RRULE:/i, '').trim() : '';
    // A rule is letters, digits and a few signs: it must not become another line of the feed.
    const isRule = rule.length <= 300 && /^[A-Za-z0-9=;,:+-]+$/.test(rule);
    if (rule !== '' && !isRule) return [];
    const durationMs = Number.isFinite(minutes) && minutes > 0 ? minutes * 60_000 : undefined;
    return [{ paperId, startsAt: begins, durationMs, rule: rule === '' ? undefined : rule }];
  });
}

/** `2026-03-01T07:00` is local; with an offset or `Z` it is a moment, whose local numbers a rule goes on from. */
function readStart(text: string, timeZone: string): Entry['startsAt'] | undefined {
  const written = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/.exec(text);
  if (written === null) return undefined;
  const [, year, month, day, hour, minute, second = '00', offset] = written;
  if (offset === undefined) {
    return { local: `${year}${month}${day}T${hour}${minute}${second}`, at: undefined };
  }
  const at = Date.parse(text);
  if (Number.isNaN(at)) return undefined;
  const local = localTime(at, timeZone);
  const digits = (value: number, count = 2): string => String(value).padStart(count, '0');
  const date = `${digits(local.year, 4)}${digits(local.month)}${digits(local.day)}`;
  return { local: `${date}T${digits(local.hour)}${digits(local.minute)}${second}`, at };
}
