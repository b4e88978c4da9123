/** The calendars that a paper's meta names, and what of them is to be shown. All of it comes from outside. */
import { z } from 'zod';
import { readPlainUrl } from '../callbacks/plain-url.ts';
import { isTimezone } from '../http/field-shapes.ts';

/** Most calendars of one paper; further ones are not read. */
const mostCalendars = 20;

/** A calendar whose address may be asked. */
export interface Feed {
  readonly key: string;
  readonly name: string;
  readonly url: URL;
  /** A CSS colour, `#rrggbb`. */
  readonly color?: string;
}

/** An entry that cannot be read, and why; the reason holds nothing of the address. */
export interface UnusableFeed {
  readonly key: string;
  readonly problem: string;
}

/** What is to be shown: days from today on, and at most so many events. */
export interface CalendarView {
  readonly dayRange: number;
  readonly maxEvents: number;
  /** IANA name. */
  readonly timeZone: string;
}

const entrySchema = z.object({
  key: z
    .string()
    .min(1)
    .max(100)
    .refine((key) => !['__proto__', 'constructor', 'prototype'].includes(key)),
  name: z.string().trim().min(1).max(100).optional().catch(undefined),
  url: z.string(),
  color: z
    .string()
    .regex(/^#[0-9a-f]{6}$/i)
    .optional()
    .catch(undefined),
});

const viewSchema = z.object({
  dayRange: z.coerce.number().int().min(1).max(100).catch(14),
  maxEvents: z.coerce.number().int().min(1).max(200).catch(100),
  timezone: z.string().refine(isTimezone).catch('UTC'),
});

/** Whether a paper shows calendars: its kind, or what its integration asks for (P-11). */
export function hasCalendars(kind: string, meta: Readonly<Record<string, unknown>>): boolean {
  if (kind === 'calendar') return true;
  const manifest: unknown = meta.pluginManifest;
  if (kind !== 'plugin' || typeof manifest !== 'object' || manifest === null) return false;
  const asked = 'requiredPermissions' in manifest ? manifest.requiredPermissions : undefined;
  return Array.isArray(asked) && asked.includes('googleCalendar');
}

/** Which calendars are wanted: those marked true, or without any such mark all that are not marked false. */
export function selectionOf(marks: unknown): (key: string) => boolean {
  const marked: Readonly<Record<string, unknown>> = typeof marks === 'object' && marks !== null ? { ...marks } : {};
  const onlyMarked = Object.values(marked).includes(true);
  return (key) => {
    const mark = Object.hasOwn(marked, key) ? marked[key] : undefined;
    return onlyMarked ? mark === true : mark !== false;
  };
}

/** How the paper wants to be shown; what is unreadable is left at its default. */
export function calendarView(meta: Readonly<Record<string, unknown>>): CalendarView {
  const { timezone, ...view } = viewSchema.parse(meta);
  return { ...view, timeZone: timezone };
}

/** The calendars of a paper, in their order. An entry without a usable key is named by its place. */
export function feedsOf(meta: Readonly<Record<string, unknown>>): (Feed | UnusableFeed)[] {
  const listed = Array.isArray(meta.calendars) ? meta.calendars.slice(0, mostCalendars) : [];
  const seen = new Set<string>();
  return listed.map((entry: unknown, index) => {
    const read = entrySchema.safeParse(entry);
    if (!read.success) {
      const wrong = read.error.issues[0]?.path[0];
      return {
        key: `calendar ${index + 1}`,
        problem: `its ${wrong === undefined ? 'entry' : String(wrong)} is malformed`,
      };
    }
    const { key, name, color } = read.data;
    if (seen.has(key)) return { key: `calendar ${index + 1}`, problem: `another calendar has the key ${key}` };
    seen.add(key);
    const url = feedUrl(read.data.url);
    if (typeof url === 'string') return { key, problem: url };
    return { key, name: name ?? key, url, ...(color === undefined ? {} : { color: color.toLowerCase() }) };
  });
}

/** The address of a feed, `webcal:` read as `https:` (T-53), or why it is none. */
export function feedUrl(raw: string): URL | string {
  return readPlainUrl(raw.replace(/^webcals?:/i, 'https:'));
}
