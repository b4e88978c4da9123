/** A calendar on paper: the day in large, the month in small, and the events, day by day. */

import { addDays, localDate } from '../../runtime/local-time.ts';
import type { CalendarEvent, CalendarRead } from '../calendar/read-calendars.ts';
import { calendarCss, smallCalendarCss } from './calendar-css.ts';
import { eventsByDay, firstDate, isAllDay, lastDate } from './calendar-days.ts';
import { directionOf, isSmall, type PageDocument, type PageFrame, pageDocument, sizeClass } from './document.ts';
import { countMark, type Direction, directionOfText, el, group, isolated, type PageElement } from './element.ts';
import { monthGrid, monthGridCss } from './month-grid.ts';
import { accentOf, inkLike } from './page-inks.ts';
import { type PageWords, pageWords } from './words.ts';

/** The facts that the page shows. `at` is the moment at which it will first be looked at, epoch milliseconds. */
export interface CalendarFacts {
  readonly title: string | undefined;
  readonly at: number;
  readonly timeZone: string;
  readonly dayRange: number;
  readonly read: CalendarRead;
}

/** The facts that the parts of the page have in common. */
interface Scene extends CalendarFacts {
  readonly language: string;
  readonly words: PageWords;
  readonly today: string;
  readonly small: boolean;
  readonly direction: Direction;
  /** The panel's ink for each calendar. */
  readonly inks: ReadonlyMap<string, string>;
}

export function calendarPage(frame: PageFrame, facts: CalendarFacts): PageDocument {
  const { language, colours } = frame;
  const { calendars, events } = facts.read.calendarData;
  const scene: Scene = {
    ...facts,
    language,
    words: pageWords(language),
    today: localDate(facts.at, facts.timeZone),
    small: isSmall(frame),
    direction: directionOf(language),
    inks: new Map(calendars.map(({ key, color }) => [key, inkLike(colours, color ?? '#000000')])),
  };
  const days = eventsByDay(events, scene);
  const shape = frame.width > frame.height ? 'wide' : 'tall';
  const aside = el(
    'aside',
    {},
    dateBlock(scene),
    ...(scene.small ? [] : [monthGrid(scene.today, language, new Set(days.keys()))]),
  );
  const list = days.size === 0 ? freeDays(scene) : agenda(scene, days);
  const section = el('section', {}, list, ...(scene.small ? [] : unreadNote(scene)));
  const body = el(`main.${shape}.${scene.direction}.${sizeClass(frame)}`, {}, aside, section);
  const accent = accentOf(colours);
  const css = calendarCss(accent) + (scene.small ? smallCalendarCss : monthGridCss(accent));
  return pageDocument(frame, { body, css });
}

function format(scene: Scene, options: Intl.DateTimeFormatOptions): (date: string) => string {
  const formatter = new Intl.DateTimeFormat(scene.language, { ...options, timeZone: 'UTC' });
  return (date) => capital(formatter.format(Date.parse(date)), scene.language);
}

function capital(text: string, language: string): string {
  const [first = '', ...rest] = text;
  return first.toLocaleUpperCase(language) + rest.join('');
}

/** Writes the days from one to another, as the language does. */
function dates(scene: Scene, first: string, last: string): string {
  const formatter = new Intl.DateTimeFormat(scene.language, {
    day: 'numeric',
    month: scene.small ? 'short' : 'long',
    timeZone: 'UTC',
  });
  return formatter.formatRange(Date.parse(first), Date.parse(last));
}

function dateBlock(scene: Scene): PageElement {
  const { today, title, small, language } = scene;
  const [weekday, month] = small
    ? [format(scene, { weekday: 'short' }), format(scene, { month: 'short' })]
    : [format(scene, { weekday: 'long' }), format(scene, { month: 'long', year: 'numeric' })];
  const number = new Intl.NumberFormat(language).format(Number(today.slice(8)));
  const size = small ? { weekday: 1.15, month: 1.05 } : { weekday: 1.5, month: 1.15 };
  const head = title === undefined || small ? [] : [el('h2', foreign(scene, title, 0.95), title)];
  return el(
    'header',
    {},
    ...head,
    el('div.weekday', { fit: { kind: 'words', size: size.weekday } }, weekday(today)),
    el('div.number', {}, number),
    el('div.monthname', { fit: { kind: 'words', size: size.month } }, month(today)),
  );
}

/** Words that somebody wrote: in their own direction, on the side of the page's. */
function foreign({ direction }: Scene, text: string, size?: number): Omit<PageElement, 'children' | 'tag'> {
  return {
    dir: directionOfText(text) ?? direction,
    style: { textAlign: direction === 'rtl' ? 'right' : 'left' },
    ...(size !== undefined && { fit: { kind: 'words', size } as const }),
  };
}

function agenda(scene: Scene, days: ReadonlyMap<string, readonly CalendarEvent[]>): PageElement {
  const { today, words, small } = scene;
  const rows: PageElement[] = [];
  if (!days.has(today)) {
    if (!small) rows.push(dayHead(scene, today));
    rows.push(el('p.nothing', {}, words.nothing));
  }
  for (const [date, events] of days) {
    // An event of several days is written once, with its end.
    const begun = events.filter(
      (event) => !isAllDay(event) || date === today || firstDate(event, scene.timeZone) === date,
    );
    if (begun.length === 0) continue;
    // On the smallest panels the date stands above today's events already.
    if (!small || date !== today) rows.push(dayHead(scene, date));
    rows.push(...begun.map((event) => (small ? eventLine(scene, event, date) : eventRow(scene, event, date))));
  }
  const [first, ...others] = rows;
  const list = first === undefined ? [] : [{ ...first, class: `${first.class ?? ''} first`.trim() }, ...others];
  // The smallest panels have room for the number alone.
  const more = small ? `\u2066+${countMark}\u2069` : `${words.more}: \u2068${countMark}\u2069`;
  return el('div.agenda', { fit: { kind: 'list', more: el('p.more', {}, more) } }, ...list);
}

function freeDays(scene: Scene): PageElement {
  const { today, dayRange, words, small } = scene;
  const head = el('h1', { fit: { kind: 'words', size: small ? 1.4 : 2.5 } }, words.nothing);
  return el('div.free', {}, head, el('p', {}, dates(scene, today, addDays(today, dayRange - 1))));
}

/** Names the calendars whose events may be old or missing. */
function unreadNote({ read, words, direction }: Scene): readonly PageElement[] {
  const failed = Object.keys(read.problems ?? {});
  const names = failed.map((key) => read.calendarData.calendars.find((one) => one.key === key)?.name ?? key);
  return names.length === 0
    ? []
    : [el('footer', {}, `${words.unread}: ${names.map((name) => isolated(name, direction)).join(', ')}`)];
}

function dayHead(scene: Scene, date: string): PageElement {
  const days = Math.round((Date.parse(date) - Date.parse(scene.today)) / 86_400_000);
  const near = new Intl.RelativeTimeFormat(scene.language, { numeric: 'auto' });
  const name =
    days <= 1
      ? capital(near.format(days, 'day'), scene.language)
      : format(scene, { weekday: scene.small ? 'short' : 'long' })(date);
  const day = format(scene, { day: 'numeric', month: scene.small ? 'short' : 'long' });
  const isNamed = days === 0 || (scene.small && days === 1);
  const parts = isNamed ? [el('div', {}, name)] : [el('div', {}, name), el('div.date', {}, day(date))];
  return { ...el(days === 0 ? 'h3.now' : 'h3', {}, ...parts), part: 'head' };
}

function eventRow(scene: Scene, event: CalendarEvent, date: string): PageElement {
  const ink = scene.inks.get(event.calendar) ?? '#000000';
  const [first, last] = [firstDate(event, scene.timeZone), lastDate(event, scene.timeZone)];
  const span = isAllDay(event) && last > first ? dates(scene, first, last) : undefined;
  const more = [span, event.location].filter((line) => line !== undefined && line !== '').join(' · ');
  const { text, before, after, isLong } = eventTimes(scene, event, date);
  const summary = event.summary || '–';
  return group(
    { part: 'item' },
    el(isLong ? 'time.long' : 'time', {}, ...inSmall(before), el('div', {}, text), ...inSmall(after)),
    el('u', { style: { backgroundColor: ink } }),
    el(
      'div.event',
      {},
      el('strong', foreign(scene, summary, 1.12), summary),
      ...(more === '' ? [] : [el('small', foreign(scene, more), more)]),
    ),
  );
}

const inSmall = (text: string | undefined): readonly PageElement[] =>
  text === undefined ? [] : [el('small', {}, text)];

/** Writes an event for the smallest panels. */
function eventLine(scene: Scene, event: CalendarEvent, date: string): PageElement {
  const { text, before, isLong } = eventTimes(scene, event, date);
  const time = isLong ? [] : [el('time', {}, `${before === undefined ? '' : '–'}${text} `)];
  const fit = { kind: 'words', size: 1 } as const;
  return {
    ...el('strong', { fit }, ...time, el('span', {}, isolated(event.summary || '–', scene.direction))),
    part: 'item',
  };
}

/** The times of an event on a day, with the small text above or below it. `isLong` marks an event that fills the day. */
interface EventTimes {
  readonly text: string;
  readonly before?: string;
  readonly after?: string;
  readonly isLong?: true;
}

function eventTimes(scene: Scene, { start, end }: CalendarEvent, date: string): EventTimes {
  const { words, language, timeZone } = scene;
  const wholeDay: EventTimes = { text: words.allDay, isLong: true };
  if ('date' in start || 'date' in end) return wholeDay;
  const clock = new Intl.DateTimeFormat(language, { timeZone, hour: 'numeric', minute: '2-digit' });
  const [begins, ends] = [Date.parse(start.dateTime), Date.parse(end.dateTime)];
  const [first, last] = [localDate(begins, timeZone), localDate(Math.max(begins, ends - 1), timeZone)];
  if (first < date && last > date) return wholeDay;
  if (first < date) return { text: clock.format(ends), before: words.until };
  if (last > date || ends === begins) return { text: clock.format(begins) };
  return { text: clock.format(begins), after: clock.format(ends) };
}
