/** A calendar on paper: the day in large, the month in small, and what takes place, day by day. */

import { addDays, localDate } from '../../gateway/runtime/local-time.ts';
import type { CalendarEvent, CalendarRead } from '../calendar/read-calendars.ts';
import { escapeHtml, type PageDocument, type PageFrame, pageDocument } from './document.ts';
import { monthGrid, monthGridCss } from './month-grid.ts';
import { type PageWords, wordsOf } from './words.ts';

/** What the page shows. `at` is the moment it will be looked at first, epoch milliseconds. */
export interface CalendarFacts {
  readonly title: string | undefined;
  readonly at: number;
  readonly timeZone: string;
  readonly dayRange: number;
  readonly read: CalendarRead;
}

/** Everything that the parts of the page have in common. */
interface Scene extends CalendarFacts {
  readonly language: string;
  readonly words: PageWords;
  readonly today: string;
  readonly colors: ReadonlyMap<string, string>;
}

/** Draws the page. */
export function calendarPage(frame: PageFrame, facts: CalendarFacts): PageDocument {
  const { language } = frame;
  const { calendars } = facts.read.calendarData;
  const scene: Scene = {
    ...facts,
    language,
    words: wordsOf(language),
    today: localDate(facts.at, facts.timeZone),
    colors: new Map(calendars.map(({ key, color }) => [key, color ?? '#000000'])),
  };
  const days = eventsByDay(scene);
  const shape = frame.width > frame.height ? 'wide' : 'tall';
  const body = `<main class="${shape}"><aside>${dateBlock(scene)}
${monthGrid(scene.today, language, new Set(days.keys()))}</aside>
<section>${days.size === 0 ? freeDays(scene) : agenda(scene, days)}${unreadNote(scene)}</section></main>`;
  return pageDocument(frame, { body, css: css + monthGridCss, fonts: ['Inter', 'Literata'] });
}

function format(scene: Scene, options: Intl.DateTimeFormatOptions): (date: string) => string {
  const formatter = new Intl.DateTimeFormat(scene.language, { ...options, timeZone: 'UTC' });
  return (date) => escapeHtml(capital(formatter.format(Date.parse(date)), scene.language));
}

function capital(text: string, language: string): string {
  return text.charAt(0).toLocaleUpperCase(language) + text.slice(1);
}

function dateBlock(scene: Scene): string {
  const { today, title } = scene;
  return `<header>${title === undefined ? '' : `<h2>${escapeHtml(title)}</h2>`}
<div class="weekday">${format(scene, { weekday: 'long' })(today)}</div>
<div class="number">${Number(today.slice(8))}</div>
<div class="monthname">${format(scene, { month: 'long', year: 'numeric' })(today)}</div></header>`;
}

/** What takes place on each day of the range; an event of several days stands on each of them. */
function eventsByDay({ read, today, dayRange, timeZone }: Scene): ReadonlyMap<string, readonly CalendarEvent[]> {
  const last = addDays(today, dayRange - 1);
  const days = new Map<string, CalendarEvent[]>();
  for (const event of read.calendarData.events) {
    const [from, to] = [firstDate(event, timeZone), lastDate(event, timeZone)];
    for (let date = from < today ? today : from; date <= to && date <= last; date = addDays(date, 1)) {
      days.set(date, [...(days.get(date) ?? []), event]);
    }
  }
  const inOrder = [...days].sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(
    inOrder.map(([date, events]) => [date, [...events.filter(isAllDay), ...events.filter((e) => !isAllDay(e))]]),
  );
}

const isAllDay = ({ start }: CalendarEvent): boolean => 'date' in start;

function firstDate({ start }: CalendarEvent, timeZone: string): string {
  return 'date' in start ? start.date : localDate(Date.parse(start.dateTime), timeZone);
}

/** An event that ends at midnight does not reach into the day that begins then. */
function lastDate({ start, end }: CalendarEvent, timeZone: string): string {
  if ('date' in end) return addDays(end.date, -1);
  const begins = 'date' in start ? 0 : Date.parse(start.dateTime);
  return localDate(Math.max(begins, Date.parse(end.dateTime) - 1), timeZone);
}

function agenda(scene: Scene, days: ReadonlyMap<string, readonly CalendarEvent[]>): string {
  const { today, words } = scene;
  const rows: string[] = [];
  if (!days.has(today))
    rows.push(dayHead(scene, today), `<p class="nothing" data-item>${escapeHtml(words.nothing)}</p>`);
  for (const [date, events] of days) {
    // What lasts for days is said once, with its end.
    const begun = events.filter(
      (event) => !isAllDay(event) || date === today || firstDate(event, scene.timeZone) === date,
    );
    if (begun.length > 0) rows.push(dayHead(scene, date), ...begun.map((event) => eventRow(scene, event, date)));
  }
  return `<div class="agenda" data-trim>${rows.join('\n')}</div>
<p class="more" data-more hidden>+ <span data-count></span> ${escapeHtml(words.more)}</p>`;
}

function freeDays(scene: Scene): string {
  const day = format(scene, { day: 'numeric', month: 'long' });
  const range =
    scene.dayRange === 1 ? day(scene.today) : `${day(scene.today)} – ${day(addDays(scene.today, scene.dayRange - 1))}`;
  return `<div class="free"><h1>${escapeHtml(scene.words.nothing)}</h1><p>${range}</p></div>`;
}

/** Calendars whose events may be old or missing. */
function unreadNote({ read, words }: Scene): string {
  const failed = Object.entries(read.calendarAuth.calendars).filter(([, said]) => said !== 'ok');
  const names = failed.map(([key]) => read.calendarData.calendars.find((one) => one.key === key)?.name ?? key);
  return names.length === 0 ? '' : `<footer>${escapeHtml(`${words.unread}: ${names.join(', ')}`)}</footer>`;
}

function dayHead(scene: Scene, date: string): string {
  const days = Math.round((Date.parse(date) - Date.parse(scene.today)) / 86_400_000);
  const near = new Intl.RelativeTimeFormat(scene.language, { numeric: 'auto' });
  const name =
    days <= 1
      ? escapeHtml(capital(near.format(days, 'day'), scene.language))
      : format(scene, { weekday: 'long' })(date);
  const day = days === 0 ? '' : `<span>${format(scene, { day: 'numeric', month: 'long' })(date)}</span>`;
  return `<h3 data-head${days === 0 ? ' class="now"' : ''}>${name}${day}</h3>`;
}

function eventRow(scene: Scene, event: CalendarEvent, date: string): string {
  const color = scene.colors.get(event.calendar) ?? '#000000';
  const last = lastDate(event, scene.timeZone);
  const until = isAllDay(event) && last > date ? untilDate(scene, last) : undefined;
  const more = [until, event.location].filter((line) => line !== undefined).join(' · ');
  const place = more === '' ? '' : `<small>${escapeHtml(more)}</small>`;
  return `<div class="event" data-item><time${isAllDay(event) ? ' class="long"' : ''}>${eventTimes(scene, event, date)}</time><u style="background:${color}"></u>
<div><strong>${escapeHtml(event.summary || '–')}</strong>${place}</div></div>`;
}

function untilDate(scene: Scene, date: string): string {
  const options = { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' } as const;
  return `${scene.words.until} ${new Intl.DateTimeFormat(scene.language, options).format(Date.parse(date))}`;
}

function eventTimes(scene: Scene, { start, end }: CalendarEvent, date: string): string {
  if ('date' in start || 'date' in end) return escapeHtml(scene.words.allDay);
  const clock = new Intl.DateTimeFormat(scene.language, {
    timeZone: scene.timeZone,
    hour: 'numeric',
    minute: '2-digit',
  });
  const [begins, ends] = [Date.parse(start.dateTime), Date.parse(end.dateTime)];
  const [first, last] = [localDate(begins, scene.timeZone), localDate(Math.max(begins, ends - 1), scene.timeZone)];
  if (first < date && last > date) return escapeHtml(scene.words.allDay);
  if (first < date) return escapeHtml(`${scene.words.until} ${clock.format(ends)}`);
  const until = last > date || ends === begins ? '' : `<small>${escapeHtml(clock.format(ends))}</small>`;
  return escapeHtml(clock.format(begins)) + until;
}

const css = `
main{display:flex;width:100vw;height:100vh}
aside{display:flex;flex-direction:column;justify-content:space-between}
section{flex:1;min-width:0;min-height:0;display:flex;flex-direction:column}
.wide aside{width:15rem;padding:1.5rem 1.35rem 1.3rem 1.6rem;border-right:.16rem solid #000}
.wide section{padding:1.35rem 1.6rem 1rem 1.5rem}
.tall{flex-direction:column}
.tall aside{flex-direction:row;align-items:center;padding:1.3rem 1.6rem 1.1rem;border-bottom:.16rem solid #000}
.tall .month{width:13rem}
.tall section{padding:1rem 1.6rem 1rem}
h2{font-size:.95rem;font-weight:700;margin-bottom:.3rem}
.weekday{font-size:1.5rem;font-weight:700;line-height:1.1;color:#e00000}
.number{font-size:7.4rem;font-weight:800;line-height:.98;letter-spacing:-.045em;margin-left:-.06em}
.monthname{font-size:1.15rem;font-weight:700}
.agenda{flex:1;min-height:0;overflow:hidden}
h3{display:flex;justify-content:space-between;align-items:baseline;font-size:1.05rem;font-weight:800;
  border-bottom:.14rem solid #000;padding:.1rem 0 .2rem;margin:.85rem 0 .3rem}
h3.now{font-size:1.2rem;border-bottom-width:.2rem}
h3:first-child{margin-top:0}
h3 span{font-size:.9rem;font-weight:600}
.event{display:flex;align-items:stretch;padding:.3rem 0}
time{width:5.3rem;flex:none;font-size:1.05rem;font-weight:700;line-height:1.25;font-feature-settings:'tnum';overflow-wrap:normal}
time.long{font-size:.94rem;line-height:1.4}
time small,.event div small{display:block;font-size:.86rem;font-weight:600;line-height:1.25}
u{flex:none;width:.34rem;border:.07rem solid #000;margin:.12rem .7rem .1rem 0;text-decoration:none}
.event div{min-width:0}
strong{display:-webkit-box;-webkit-line-clamp:2;-webkit-box-orient:vertical;overflow:hidden;font-size:1.12rem;font-weight:650;line-height:1.22}
.event div small{white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
.free{flex:1;display:flex;flex-direction:column;align-items:center;justify-content:center;text-align:center}
h1{font-family:Literata,serif;font-size:2.5rem;font-weight:700;line-height:1.15}
.free p{font-size:1.15rem;font-weight:600;padding-top:.6rem}
.nothing{font-size:1.12rem;font-weight:600;padding:.35rem 0}
.more{font-weight:700;font-size:.95rem;padding-top:.3rem}
footer{font-size:.82rem;font-weight:700;padding-top:.4rem}
`;
