/** Returns which events of a feed are over, whatever zones their times are in. */
import { dayMs } from '../../runtime/recurrence/recurrence.ts';
import { readDuration, readTime } from './read-time.ts';

/** A line of an event, with its end. */
export interface EventLine {
  readonly name: string;
  readonly text: string;
}

/** Clocks are nowhere further from UTC than a day; a range begins with the day of its moment. */
const slackMs = 3 * dayMs;

/**
 * Returns whether an event ended days before a moment, with all of its times. One that is not understood, or whose end is not
 * written down, is not over.
 */
export function isOver(event: readonly EventLine[], from: number): boolean {
  const valuesOf = (name: string): string[] =>
    event.flatMap((line) => (line.name === name ? [line.text.slice(line.text.lastIndexOf(':') + 1).trim()] : []));
  const [start] = valuesOf('DTSTART').map(readTime);
  if (start === undefined || valuesOf('RDATE').length > 0) return false;
  const isEarly = (naive: number | undefined): boolean => naive !== undefined && naive + slackMs < from;
  const lengthMs = lengthOf(start.naive, valuesOf('DTEND')[0] ?? valuesOf('DURATION')[0]);
  if (!isEarly(start.naive + lengthMs)) return false;
  const ids = event.filter(({ name }) => name === 'RECURRENCE-ID');
  if (ids.some(({ text }) => /;[ \t]*RANGE=/i.test(text))) return false;
  if (!valuesOf('RECURRENCE-ID').every((id) => isEarly(readTime(id)?.naive))) return false;
  return valuesOf('RRULE').every((rule) => {
    const until = readTime(/(?:^|;)\s*UNTIL\s*=([^;]*)/i.exec(rule)?.[1] ?? '');
    return until !== undefined && isEarly(until.naive + dayMs + lengthMs);
  });
}

/** Returns how long an event lasts, by what is written of its end: at least a day, which dates alone mean. */
function lengthOf(start: number, end = ''): number {
  const duration = readDuration(end);
  const lasts = duration === undefined ? (readTime(end)?.naive ?? start) - start : duration.days * dayMs + duration.ms;
  return Math.max(dayMs, lasts);
}
