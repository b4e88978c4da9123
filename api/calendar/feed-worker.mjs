/**
 * Reads one iCalendar text and expands it, in a thread of its own that ends afterwards: the parser can be made to run
 * for long, and to write into the prototypes of its whole thread (T-18, T-53). Plain JavaScript, because a thread starts
 * three times as fast without the TypeScript loader.
 */
import { parentPort, workerData } from 'node:worker_threads';
import ical from 'node-ical';

const dayMs = 86_400_000;
const longestText = 200;
const times = 'DTSTART|DTEND|DUE|EXDATE|RDATE|RECURRENCE-ID';

/** @typedef {{ text: string, from: string, to: string, fromMs: number, toMs: number, timeZone: string, mostEvents: number }} FeedJob */

/** @param {FeedJob} job */
function expandFeed({ text, from, to, fromMs, toMs, timeZone, mostEvents }) {
  const unfolded = text.replace(/\r?\n[ \t]/g, '');
  if (!/^BEGIN:VCALENDAR\s*$/im.test(unfolded) || !/^END:VCALENDAR\s*$/im.test(unfolded)) {
    return { ok: false, problem: 'the answer is no iCalendar file' };
  }
  const found = [];
  const parsed = ical.sync.parseICS(inZone(harmless(unfolded), timeZone));
  for (const component of Object.values(parsed)) {
    if (component?.type !== 'VEVENT' || !(component.start instanceof Date)) continue;
    for (const instance of instancesOf(component, fromMs - 2 * dayMs, toMs + 2 * dayMs)) {
      const event = plainEvent(instance);
      if (event !== undefined && lies(event, { from, to, fromMs, toMs })) found.push(event);
    }
  }
  found.sort((a, b) => a.at - b.at || (a.summary < b.summary ? -1 : 1));
  return { ok: true, events: found.slice(0, mostEvents) };
}

/** Names that are looked up on an object of the parser's must not meet its prototype. */
function harmless(/** @type {string} */ text) {
  return (
    text
      .replace(/^(UID(?:;[^:\n]*)?):/gim, '$1:uid-')
      .replace(/^(__proto__|constructor|prototype|tostring|valueof|hasownproperty)[;:].*$/gim, '')
      // Every second or minute of the year is no appointment.
      .replace(/^RRULE[^\n]*FREQ=(SECONDLY|MINUTELY).*$/gim, '')
  );
}

/** Times without a zone, and in one that nobody knows, are read as the paper's: the parser would take the machine's. */
function inZone(/** @type {string} */ text, /** @type {string} */ timeZone) {
  const declared = new Set([...text.matchAll(/^TZID(?:;[^:\n]*)?:(.*?)\s*$/gim)].map(([, name]) => name));
  const floating = new RegExp(`^(${times})((?:;(?!TZID)[^:\\n]*)?):(?=\\d{8}T\\d{6}\\s*(?:,|$))`, 'gim');
  const zoned = new RegExp(`^((?:${times})[^:\\n]*;TZID=)("[^"\\n]*"|[^;:\\n]*)`, 'gim');
  return text
    .replace(zoned, (whole, start, quoted) => {
      const name = quoted.replaceAll('"', '');
      return declared.has(name) || isZone(name) ? whole : `${start}${timeZone}`;
    })
    .replace(floating, `$1$2;TZID=${timeZone}:`);
}

function isZone(/** @type {string} */ name) {
  if (/Standard Time$/i.test(name)) return true; // Windows' names, which the parser knows
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** The times at which an event takes place; one whose rule cannot be followed takes place never. */
function instancesOf(component, fromMs, toMs) {
  try {
    return ical.expandRecurringEvent(component, { from: new Date(fromMs), to: new Date(toMs), expandOngoing: true });
  } catch {
    return [];
  }
}

/** An instance as plain data; `at` orders it. Undefined for one that was called off. */
function plainEvent({ start, end, isFullDay, summary, event }) {
  if (!(start instanceof Date) || Number.isNaN(start.getTime()) || event.status === 'CANCELLED') return undefined;
  const last = end instanceof Date && end.getTime() >= start.getTime() ? end : start;
  const words = { summary: textOf(summary), location: textOf(event.location) };
  if (isFullDay) {
    // A date is kept as midnight of this machine's zone: its numbers are the date.
    const [first, until] = [dateOf(start), dateOf(last)];
    const after = until > first ? until : dateOf(new Date(start.getFullYear(), start.getMonth(), start.getDate() + 1));
    return { ...words, allDay: true, start: first, end: after, at: Date.parse(first) };
  }
  return { ...words, allDay: false, start: start.toISOString(), end: last.toISOString(), at: start.getTime() };
}

function dateOf(/** @type {Date} */ day) {
  return new Date(Date.UTC(day.getFullYear(), day.getMonth(), day.getDate())).toISOString().slice(0, 10);
}

/** A property with or without parameters, as one line of text. */
function textOf(value) {
  const text = typeof value === 'object' && value !== null ? value.val : value;
  if (typeof text !== 'string') return '';
  const line = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  return line.length > longestText ? `${line.slice(0, longestText - 1)}…` : line;
}

function lies(event, { from, to, fromMs, toMs }) {
  if (event.allDay) return event.start < to && event.end > from;
  const [start, end] = [Date.parse(event.start), Date.parse(event.end)];
  return start < toMs && (end > fromMs || start >= fromMs);
}

parentPort?.postMessage(expandFeed(workerData));
