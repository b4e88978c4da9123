/** A month in small, today marked. */

import { addDays } from '../../runtime/local-time.ts';
import { el, type PageElement } from './element.ts';

/** Returns the weekday that a week begins with, 1 for Monday; it is Monday in unknown languages, too. */
function firstWeekday(language: string): number {
  const locale: Intl.Locale & { weekInfo?: { firstDay: number }; getWeekInfo?: () => { firstDay: number } } =
    new Intl.Locale(language);
  return (locale.getWeekInfo?.() ?? locale.weekInfo)?.firstDay ?? 1;
}

/** Draws the month of a date (`2026-03-29`). Dates in `busy` get a dot. */
export function monthGrid(today: string, language: string, busy: ReadonlySet<string>): PageElement {
  const first = `${today.slice(0, 8)}01`;
  const begins = firstWeekday(language);
  const weekdayOf = (date: string): number => new Date(date).getUTCDay() || 7;
  const lead = (weekdayOf(first) - begins + 7) % 7;
  const name = new Intl.DateTimeFormat(language, { weekday: 'narrow', timeZone: 'UTC' });
  const number = new Intl.NumberFormat(language);
  const heads = Array.from({ length: 7 }, (_, at) => el('b', {}, name.format(Date.parse(addDays(first, at - lead)))));
  const days = Array.from({ length: lead }, () => el('i', {}));
  for (let date = first; date.startsWith(first.slice(0, 8)); date = addDays(date, 1)) {
    const day = number.format(Number(date.slice(8)));
    if (date === today) days.push(el('i.today', {}, el('em', {}, day)));
    else days.push(el('i', {}, el('em', {}, day), ...(busy.has(date) ? [el('s', {})] : [])));
  }
  return el('div.month', {}, ...heads, ...days);
}

/** The look of the grid, with an ink for today's mark; sizes follow the page's letters. */
export const monthGridCss = (accent: string): string => `
.month{display:grid;grid-template-columns:repeat(7,1fr);justify-items:center;row-gap:.06rem;font-size:.84rem;font-weight:600;font-feature-settings:'tnum'}
.month b{display:block;font-weight:800;padding-bottom:.2rem}
.month i{display:block;width:1.62rem;height:1.62rem;text-align:center;position:relative}
.month em{display:block;line-height:1.62rem}
.month s{position:absolute;left:.66rem;bottom:0;width:.3rem;height:.18rem;background:#000}
.month .today{background:${accent};color:#fff;border-radius:50%;font-weight:800}
`;
