/** A calendar on paper: the day in large, the month in small, and the events, day by day. */

import { escapeHtml } from '../../runtime/escape-html.ts';
import { addDays, localDate } from '../../runtime/local-time.ts';
import type { CalendarEvent, CalendarRead } from '../calendar/read-calendars.ts';
import { calendarCss, smallCalendarCss } from './calendar-css.ts';
import { eventsByDay, firstDate, isAllDay, lastDate } from './calendar-days.ts';
import { isSmall, type PageDocument, type PageFrame, pageDocument } from './document.ts';
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
    inks: new Map(calendars.map(({ key, color }) => [key, inkLike(colours, color ?? '#000000')])),
  };
  const days = eventsByDay(events, scene);
  const shape = frame.width > frame.height ? 'wide' : 'tall';
  const month = scene.small ? '' : monthGrid(scene.today, language, new Set(days.keys()));
  const list = days.size === 0 ? freeDays(scene) : agenda(scene, days);
  const body = `<main class="${shape}${scene.small ? ' small' : ''}"><aside>${dateBlock(scene)}
${month}</aside><section>${list}${scene.small ? '' : unreadNote(scene)}</section></main>`;
  const accent = accentOf(colours);
  const css = calendarCss(accent) + (scene.small ? smallCalendarCss : monthGridCss(accent));
  return pageDocument(frame, { body, css, fonts: ['Inter', 'Literata'] });
}

function format(scene: Scene, options: Intl.DateTimeFormatOptions): (date: string) => string {
  const formatter = new Intl.DateTimeFormat(scene.language, { ...options, timeZone: 'UTC' });
  return (date) => escapeHtml(capital(formatter.format(Date.parse(date)), scene.language));
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

function dateBlock(scene: Scene): string {
  const { today, title, small, language } = scene;
  const [weekday, month] = small
    ? [format(scene, { weekday: 'short' }), format(scene, { month: 'short' })]
    : [format(scene, { weekday: 'long' }), format(scene, { month: 'long', year: 'numeric' })];
  const number = escapeHtml(new Intl.NumberFormat(language).format(Number(today.slice(8))));
  const head = title === undefined || small ? '' : `<h2 data-words dir="auto">${escapeHtml(title)}</h2>`;
  const day = `<div class="weekday" data-words>${weekday(today)}</div>`;
  return `<header>${head}${day}<div class="number">${number}</div>
<div class="monthname" data-words>${month(today)}</div></header>`;
}

function agenda(scene: Scene, days: ReadonlyMap<string, readonly CalendarEvent[]>): string {
  const { today, words, small } = scene;
  const rows: string[] = [];
  if (!days.has(today)) {
    if (!small) rows.push(dayHead(scene, today));
    rows.push(`<p class="nothing">${escapeHtml(words.nothing)}</p>`);
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
  // The smallest panels have room for the number alone.
  const count = '<span data-count></span>';
  const more = small ? `<bdi dir="ltr">+${count}</bdi>` : `${escapeHtml(words.more)}: <bdi>${count}</bdi>`;
  return `<div class="agenda" data-trim>${rows.join('\n')}</div>
<p class="more" data-more hidden>${more}</p>`;
}

function freeDays(scene: Scene): string {
  const { today, dayRange, words } = scene;
  const range = escapeHtml(dates(scene, today, addDays(today, dayRange - 1)));
  return `<div class="free"><h1 data-words>${escapeHtml(words.nothing)}</h1><p>${range}</p></div>`;
}

/** Names the calendars whose events may be old or missing. */
function unreadNote({ read, words }: Scene): string {
  const failed = Object.keys(read.problems ?? {});
  const names = failed.map((key) => read.calendarData.calendars.find((one) => one.key === key)?.name ?? key);
  const list = names.map((name) => `<bdi>${escapeHtml(name)}</bdi>`).join(', ');
  return names.length === 0 ? '' : `<footer>${escapeHtml(words.unread)}: ${list}</footer>`;
}

function dayHead(scene: Scene, date: string): string {
  const days = Math.round((Date.parse(date) - Date.parse(scene.today)) / 86_400_000);
  const near = new Intl.RelativeTimeFormat(scene.language, { numeric: 'auto' });
  const name =
    days <= 1
      ? escapeHtml(capital(near.format(days, 'day'), scene.language))
      : format(scene, { weekday: scene.small ? 'short' : 'long' })(date);
  const day = days === 0 || (scene.small && days === 1) ? '' : dayOfMonth(scene, date);
  return `<h3 data-head${days === 0 ? ' class="now"' : ''}>${name}${day}</h3>`;
}

function dayOfMonth(scene: Scene, date: string): string {
  return `<span>${format(scene, { day: 'numeric', month: scene.small ? 'short' : 'long' })(date)}</span>`;
}

function eventRow(scene: Scene, event: CalendarEvent, date: string): string {
  const ink = scene.inks.get(event.calendar) ?? '#000000';
  const [first, last] = [firstDate(event, scene.timeZone), lastDate(event, scene.timeZone)];
  const span = isAllDay(event) && last > first ? dates(scene, first, last) : undefined;
  const more = [span, event.location].filter((line) => line !== undefined && line !== '');
  const place = more.length === 0 ? '' : `<small dir="auto">${escapeHtml(more.join(' · '))}</small>`;
  const { text, before, after, isLong } = eventTimes(scene, event, date);
  const time = `${inSmall(before)}${escapeHtml(text)}${inSmall(after)}`;
  return `<div class="event" data-item><time${isLong ? ' class="long"' : ''}>${time}</time><u style="background:${ink}"></u>
<div><strong data-words dir="auto">${escapeHtml(event.summary || '–')}</strong>${place}</div></div>`;
}

const inSmall = (text: string | undefined): string => (text === undefined ? '' : `<small>${escapeHtml(text)}</small>`);

/** Writes an event for the smallest panels. */
function eventLine(scene: Scene, event: CalendarEvent, date: string): string {
  const { text, before, isLong } = eventTimes(scene, event, date);
  const time = isLong ? '' : `<time>${before === undefined ? '' : '–'}${escapeHtml(text)}</time> `;
  return `<strong data-words data-item>${time}<bdi>${escapeHtml(event.summary || '–')}</bdi></strong>`;
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
