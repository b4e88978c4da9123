/**
 * Reads the calendars that a paper's meta names, and which part of them is to be shown. All of it comes from outside.
 */

import { z } from 'zod';
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import { isTimezone } from '../http/field-shapes.ts';
import { readPlainUrl } from '../outgoing/plain-url.ts';

/** The most calendars of one paper; further ones are not read. */
const maxCalendars = 20;

/** A calendar whose address may be asked. */
export interface Feed {
  readonly key: string;
  readonly name: string;
  /** The addresses of the feed; it is fetched from the first that a connection can be made to. */
  readonly addresses: readonly URL[];
  /** A CSS colour, `#rrggbb`. */
  readonly color?: string;
}

/** An entry that cannot be read, and why; the reason holds nothing of the address. */
export interface UnusableFeed {
  readonly key: string;
  readonly problem: Reason;
}

/** The part that is to be shown: days from today on, and at most so many events. */
export interface CalendarView {
  readonly dayRange: number;
  readonly maxEvents: number;
  /** The IANA name of the zone. */
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

/** Reads the number of whole days or events that a number asks for, which may be a fraction. */
const atMost = (most: number) => z.number().min(1).max(most).transform(Math.round);
export const dayRange = atMost(100);
export const maxEvents = atMost(200);

/** Calendars that are tried before they are saved; a problem with one is reported for it, as for a saved one. */
export const triedCalendars = z
  .array(z.record(z.string().max(100), z.union([z.string().max(4_000), z.number(), z.boolean(), z.null()])))
  .max(maxCalendars);

const viewSchema = z.object({
  dayRange: z.coerce.number().pipe(dayRange).catch(14),
  maxEvents: z.coerce.number().pipe(maxEvents).catch(100),
  timezone: z.string().refine(isTimezone).catch('UTC'),
});

/** Returns whether a paper shows calendars, by its kind or by what its integration asks for (PAGE-11). */
export function hasCalendars(kind: string, meta: Readonly<Record<string, unknown>>): boolean {
  if (kind === 'calendar') return true;
  const manifest: unknown = meta.pluginManifest;
  if (kind !== 'plugin' || typeof manifest !== 'object' || manifest === null) return false;
  const asked = 'requiredPermissions' in manifest ? manifest.requiredPermissions : undefined;
  return Array.isArray(asked) && asked.includes('googleCalendar');
}

/**
 * Makes the test of which calendars are wanted: those marked true, or without any such mark all that are not marked
 * false.
 */
export function selectionOf(marks: unknown): (key: string) => boolean {
  const marked: Readonly<Record<string, unknown>> = typeof marks === 'object' && marks !== null ? { ...marks } : {};
  const onlyMarked = Object.values(marked).includes(true);
  return (key) => {
    const mark = Object.hasOwn(marked, key) ? marked[key] : undefined;
    return onlyMarked ? mark === true : mark !== false;
  };
}

/**
 * Reads how the paper wants to be shown; an unreadable setting is left at its default. The settings of an integration
 * count where the paper itself sets nothing, because clients in the field write them there.
 */
export function calendarView(meta: Readonly<Record<string, unknown>>): CalendarView {
  const settings: Readonly<Record<string, unknown>> =
    typeof meta.pluginSettings === 'object' ? { ...meta.pluginSettings } : {};
  const [dayRange, maxEvents] = ['dayRange', 'maxEvents'].map((key) => meta[key] ?? settings[key]);
  const { timezone, ...view } = viewSchema.parse({ dayRange, maxEvents, timezone: meta.timezone });
  return { ...view, timeZone: timezone };
}

/** Reads the calendars of a paper, in their order. An entry without a usable key is named by its place. */
export function feedsOf(meta: Readonly<Record<string, unknown>>): (Feed | UnusableFeed)[] {
  const listed = Array.isArray(meta.calendars) ? meta.calendars.slice(0, maxCalendars) : [];
  const seen = new Set<string>();
  return listed.map((entry: unknown, index) => {
    const read = entrySchema.safeParse(entry);
    if (!read.success) {
      const wrong = read.error.issues[0]?.path[0];
      return {
        key: `calendar ${index + 1}`,
        problem: reasonOf('calendar-malformed', { field: wrong === undefined ? 'entry' : String(wrong) }),
      };
    }
    const { key, name, color } = read.data;
    if (seen.has(key)) return { key: `calendar ${index + 1}`, problem: reasonOf('calendar-key-twice', { key }) };
    seen.add(key);
    const addresses = feedAddresses(read.data.url);
    if ('code' in addresses) return { key, problem: addresses };
    return { key, name: name ?? key, addresses, ...(color === undefined ? {} : { color: color.toLowerCase() }) };
  });
}

/**
 * Returns what people call each calendar of a paper, by its key: its name, or the host that it is read from. An entry
 * with neither has none.
 */
export function calendarNames(meta: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  const listed: readonly unknown[] = Array.isArray(meta.calendars) ? meta.calendars.slice(0, maxCalendars) : [];
  const names = new Map<string, string>();
  for (const entry of listed) {
    const read = entrySchema.safeParse(entry);
    if (!read.success || names.has(read.data.key)) continue;
    const address = feedUrl(read.data.url);
    // Separators of sentences would end this one.
    const name = read.data.name?.replaceAll(/[;\s]+/g, ' ').trim() || (address instanceof URL ? address.host : '');
    if (name !== '') names.set(read.data.key, name);
  }
  return names;
}

/**
 * Returns the addresses that a feed may have, or why the given one is invalid: `webcal:` leaves open how the feed is
 * fetched (T-53).
 */
function feedAddresses(raw: string): readonly URL[] | Reason {
  const first = feedUrl(raw);
  if (!(first instanceof URL)) return first;
  const plain = /^webcal:/i.test(raw) ? readPlainUrl(raw.replace(/^webcal:/i, 'http:')) : undefined;
  return plain instanceof URL ? [first, plain] : [first];
}

/** Reads the address of a feed, `webcal:` as `https:`, or returns why it is invalid. */
export function feedUrl(raw: string): URL | Reason {
  return readPlainUrl(raw.replace(/^webcals?:/i, 'https:'));
}
