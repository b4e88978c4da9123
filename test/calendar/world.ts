/** Calendars in a few lines, and what is shown of them. */

import { expandFeed, type FeedRange } from '../../api/calendar/expand-feed.ts';
import { wordsOf } from '../../reasons/words.ts';
import { patientClock } from './patient-clock.ts';

/** The text of a calendar. */
export const calendar = (...lines: string[]): string => ['BEGIN:VCALENDAR', ...lines, 'END:VCALENDAR', ''].join('\r\n');

/** The text of an event. */
export const event = (...lines: string[]): string => ['BEGIN:VEVENT', ...lines, 'END:VEVENT'].join('\r\n');

/**
 * Returns the events that are shown, as `summary begin`, or `summary begin/end` where an end is given. Days are 27 March
 * and on.
 */
export async function shown(text: string, range: Partial<FeedRange> = {}): Promise<string[]> {
  const at = Date.parse('2026-03-27T12:00:00Z');
  const feed = await expandFeed(patientClock, text, {
    at,
    dayRange: 7,
    timeZone: 'Europe/Berlin',
    maxEvents: 200,
    ...range,
  });
  if (!feed.ok) return [wordsOf(feed.problem)];
  const short = (time: string): string => time.replace(':00.000Z', 'Z');
  return feed.events.map(({ summary, start, end }) =>
    [summary, short(start) + (end === start ? '' : `/${short(end)}`)].join(' ').trim(),
  );
}
