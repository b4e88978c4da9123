/** The record as a table for other programs, as RFC 4180 has it. */
import { isoTime, isoTimeOrNull } from '../../runtime/clock.ts';
import type { IntervalRow } from './intervals.ts';

const columns = ['frame', 'serial', 'since', 'until', 'ended', 'title', 'sender', 'shows', 'grade', 'picture'] as const;

/** Writes a field. One that a table program would take for a formula stays a text. */
function field(value: string | null): string {
  const text = value ?? '';
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

/** Writes intervals with a head, a line each. Times are ISO 8601 in UTC; an empty end still hangs. */
export function recordCsv(intervals: readonly IntervalRow[]): string {
  const lines = intervals.map((row) =>
    [
      row.frame_name,
      row.serial,
      isoTime(row.since),
      isoTimeOrNull(row.until),
      row.ended,
      row.title,
      row.sender,
      row.shows,
      row.grade,
      row.picture_sha256,
    ]
      .map(field)
      .join(','),
  );
  return `${[columns.join(','), ...lines].join('\r\n')}\r\n`;
}
