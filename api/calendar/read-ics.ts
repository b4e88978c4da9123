/**
 * Reads the events and time zones of an iCalendar text (RFC 5545, 3.1), as far as they are needed. Every line is taken
 * by itself.
 */

import { isContinuation, isQuotedPrintable, plainValue } from './property-bytes.ts';

/** A property's parameters as they are written, and its value. */
export interface Property {
  params: string;
  value: string;
}
/** The properties of a component, by their names in capitals. */
export type Component = Map<string, Property[]>;

/** The properties by which programs call an event all-day whose times they write (see `whole-days.ts`). */
export const allDayMarks = ['X-MICROSOFT-CDO-ALLDAYEVENT', 'X-FUNAMBOL-ALLDAY'];

const eventProperties =
  'UID SUMMARY LOCATION TRANSP STATUS SEQUENCE DTSTAMP LAST-MODIFIED DTSTART DTEND DURATION RRULE RDATE EXDATE RECURRENCE-ID';
const calendarZones = ['X-WR-TIMEZONE', 'TIMEZONE-ID'];
/** The properties that are read, by the components that they are in. */
export const wanted = new Map([
  ['VCALENDAR', new Set(['METHOD', ...calendarZones])],
  ['VEVENT', new Set([...eventProperties.split(' '), ...allDayMarks])],
  ['VTIMEZONE', new Set(['TZID'])],
  ['STANDARD', new Set(['DTSTART', 'RRULE', 'RDATE', 'TZOFFSETFROM', 'TZOFFSETTO'])],
  ['DAYLIGHT', new Set(['DTSTART', 'RRULE', 'RDATE', 'TZOFFSETFROM', 'TZOFFSETTO'])],
]);
const noNames = new Set();
/**
 * The properties that hold times. Their values hold no colon, but the zone before them may: Outlook's `(UTC+01:00)
 * Amsterdam`.
 */
const times = new Set(['DTSTART', 'DTEND', 'RDATE', 'EXDATE', 'RECURRENCE-ID']);

/**
 * Reads a text.
 * @returns undefined for a text
 * that is not an iCalendar file, or only the beginning of one
 */
export function readIcs(
  text: string,
): { events: Component[]; zones: { name: string; changes: Component[] }[] } | undefined {
  const unfolded = text.replace(/^\uFEFF/, '').replace(/(?<![\r\n])[\r\n]+[ \t]/g, '');
  if (!/^BEGIN:[ \t]*VCALENDAR\s*$/im.test(unfolded) || !/^END:[ \t]*VCALENDAR\s*$/im.test(unfolded)) return undefined;
  const events: Component[] = [];
  const zones: { name: string; changes: Component[] }[] = [];
  const open: { kind: string; component: Component; changes: Component[] }[] = [];
  let firstOfCalendar = 0;
  for (const line of linesOf(unfolded)) {
    const name = nameOf(line);
    if (name === undefined) continue;
    if (name === 'BEGIN') {
      const kind = line.slice(6).trim().toUpperCase();
      open.push({ kind, component: new Map(), changes: [] });
    } else if (name === 'END') {
      const kind = line.slice(4).trim().toUpperCase();
      // A component that was left open within this one ends with it.
      const at = open.findLastIndex((one) => one.kind === kind);
      const [closed] = at < 0 ? [] : open.splice(at);
      if (closed === undefined) continue;
      if (kind === 'VEVENT') events.push(closed.component);
      if (kind === 'VCALENDAR') {
        for (const event of events.slice(firstOfCalendar)) belong(event, closed.component);
        firstOfCalendar = events.length;
      }
      if (kind === 'STANDARD' || kind === 'DAYLIGHT') open.at(-1)?.changes.push(closed.component);
      const zone = kind === 'VTIMEZONE' ? closed.component.get('TZID')?.[0] : undefined;
      if (zone !== undefined) zones.push({ name: zone.value, changes: closed.changes });
    } else {
      const within = open.at(-1);
      if (within === undefined || !(wanted.get(within.kind) ?? noNames).has(name)) continue;
      const colon = times.has(name) ? line.lastIndexOf(':') : colonOf(line);
      if (colon < 0) continue;
      const params = line.slice(name.length, colon);
      const property = { params, value: plainText(plainValue(params, line.slice(colon + 1))) };
      const list = within.component.get(name);
      if (list === undefined) within.component.set(name, [property]);
      else list.push(property);
    }
  }
  return { events, zones };
}

/** Returns the name of a line's property, in capitals; undefined for a line that has none. */
export function nameOf(line: string) {
  return /^[a-z0-9-]{1,40}(?=[;:])/i.exec(line)?.[0].toUpperCase();
}

/** Yields the lines of an unfolded text, those together that are one. */
function* linesOf(unfolded: string) {
  let line = '';
  let [isQuoted, goesOn] = [false, false];
  for (const next of unfolded.split(/[\r\n]+/)) {
    goesOn &&= isContinuation(next);
    if (!goesOn && line !== '') yield line;
    line = goesOn ? `${line}\r\n${next}` : next;
    if (line.length === next.length) isQuoted = isQuotedPrintable(line);
    goesOn = isQuoted && next.endsWith('=');
  }
  if (line !== '') yield line;
}

/**
 * Gives an event what its calendar declares for all events: that they are cancelled, and the zone of times that name
 * none. An event's property of that name holds the zone of its calendar.
 */
function belong(event: Component, calendar: Component) {
  if (/^CANCEL$/i.test(calendar.get('METHOD')?.[0]?.value ?? ''))
    event.set('STATUS', [{ params: '', value: 'CANCELLED' }]);
  const zone = calendarZones
    .map((name) => calendar.get(name)?.[0])
    .find((one) => one !== undefined && one.value !== '');
  if (zone === undefined) return;
  event.set('X-WR-TIMEZONE', [zone]);
  for (const name of times) {
    for (const property of event.get(name) ?? []) {
      if (parameterOf(property, 'TZID') === undefined) property.params += `;TZID="${zone.value.replaceAll('"', '')}"`;
    }
  }
}

/** Returns the place where the value begins: at the first colon that is not quoted. */
function colonOf(line: string) {
  let isQuoted = false;
  for (let at = 0; at < line.length; at++) {
    if (line[at] === '"') isQuoted = !isQuoted;
    else if (line[at] === ':' && !isQuoted) return at;
  }
  return -1;
}

/** Returns a parameter's value without its quotes; undefined where it is missing. */
export function parameterOf({ params }: Property, name: string) {
  for (const [, found = '', quoted, bare = ''] of params.matchAll(/;([a-z0-9-]+)=(?:"([^"]*)"|([^;]*))/gi)) {
    if (found.toUpperCase() === name) return quoted ?? bare;
  }
  return undefined;
}

/** Returns the zone that a time names. */
export function zoneNamed(property: Property) {
  const name = parameterOf(property, 'TZID');
  return name === undefined ? undefined : plainText(name) || undefined;
}

/** Returns a text without its escapes. Some writers put a backslash before every sign. */
function plainText(value: string) {
  const text = value.trim();
  if (!text.includes('\\')) return text;
  return text.replace(/\\([nN]|[^\w\s])/g, (_, sign) => (sign === 'n' || sign === 'N' ? '\n' : sign)).trim();
}
