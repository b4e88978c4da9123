/** Reads the tasks of a calendar (VTODO of RFC 5545), which calendars of events do not need. */

import { ianaOffset, momentOfWallClock } from '../../../runtime/wall-clock.ts';
import { readTime } from '../../calendar/read-time.ts';

/** A task as templates get it. `DUE` is a date, or a time in UTC; empty for none. */
export interface CalendarTask {
  readonly SUMMARY: string;
  /** In the words of the standard, such as `NEEDS-ACTION` and `COMPLETED`. */
  readonly STATUS: string;
  /** 1 is the highest, 9 the lowest, 0 none. */
  readonly PRIORITY: number;
  readonly DUE: string;
}

const maxTasks = 500;
const maxTextLength = 200;

/** A property: its parameters, and its value. */
type Property = readonly [parameters: string, value: string];

const textOf = (value: string): string =>
  value
    .replaceAll(/\\(.)/g, (_, letter: string) => (letter.toLowerCase() === 'n' ? ' ' : letter))
    .trim()
    .slice(0, maxTextLength);

/**
 * Lists the tasks of a text, in its order.
 * @param text a calendar whose folded lines are joined or not
 * @param timeZone the zone of times that name none
 */
export function tasksOf(text: string, timeZone: string): readonly CalendarTask[] {
  const tasks: CalendarTask[] = [];
  let open: Map<string, Property> | undefined;
  let depth = 0;
  for (const line of text.replaceAll(/\r?\n[ \t]/g, '').split(/\r?\n/)) {
    const [, name = '', parameters = '', value = ''] =
      /^([\w-]+)((?:;(?:"[^"]*"|[^":])*)?):(.*)$/.exec(line.trimEnd()) ?? [];
    const property = name.toUpperCase();
    if (property === 'BEGIN' && value.toUpperCase() === 'VTODO') [open, depth] = [new Map(), 0];
    else if (open === undefined) continue;
    else if (property === 'END' && value.toUpperCase() === 'VTODO') {
      if (tasks.length < maxTasks) tasks.push(taskOf(open, timeZone));
      open = undefined;
    } else if (property === 'BEGIN') depth++;
    else if (property === 'END') depth--;
    // An alarm within a task has a text of its own.
    else if (depth === 0) open.set(property, [parameters, value]);
  }
  return tasks.filter(({ SUMMARY }) => SUMMARY !== '');
}

function taskOf(read: ReadonlyMap<string, Property>, timeZone: string): CalendarTask {
  const textNamed = (name: string): string => textOf(read.get(name)?.[1] ?? '');
  const priority = Number(textNamed('PRIORITY'));
  return {
    SUMMARY: textNamed('SUMMARY'),
    STATUS: textNamed('STATUS').toUpperCase() || (read.has('COMPLETED') ? 'COMPLETED' : 'NEEDS-ACTION'),
    PRIORITY: Number.isInteger(priority) && priority > 0 && priority < 10 ? priority : 0,
    DUE: dueOf(read.get('DUE'), timeZone),
  };
}

/** A time is given with the offset of its place, so that its first letters are the date there. */
function dueOf(due: Property | undefined, timeZone: string): string {
  const time = due === undefined ? undefined : readTime(due[1]);
  if (due === undefined || time === undefined) return '';
  if (time.isDate) return new Date(time.naive).toISOString().slice(0, 10);
  const named = /;TZID="?([^";:]+)"?/i.exec(due[0])?.[1];
  const here = ianaOffset(timeZone) ?? (() => 0);
  const there = (named === undefined ? undefined : ianaOffset(named)) ?? here;
  const moment = time.isUtc ? time.naive : momentOfWallClock(time.naive, there);
  const minutes = Math.round(here(moment) / 60_000);
  const [hours, rest] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${new Date(moment + minutes * 60_000).toISOString().slice(0, 19)}${minutes < 0 ? '-' : '+'}${hours}:${rest}`;
}
