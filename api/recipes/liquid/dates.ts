/** The text of a point in time by the directives of `strftime` (RC-38). */
import type { ZonedMoment } from './read-moment.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** Its fields in its zone, read by the methods of UTC. */
const local = ({ ms, offset }: ZonedMoment): Date => new Date(ms + offset * minuteMs);

/** The names of months and days, in one language. */
interface Names {
  readonly months: readonly string[];
  readonly shortMonths: readonly string[];
  readonly days: readonly string[];
  readonly shortDays: readonly string[];
}

const names = new Map<string, Names>();

function namesIn(language: string): Names {
  const known = names.get(language);
  if (known !== undefined) return known;
  const listed = (count: number, step: number, options: Intl.DateTimeFormatOptions): readonly string[] => {
    const format = new Intl.DateTimeFormat(language, { timeZone: 'UTC', ...options });
    // The first of February 2026 was a Sunday; months are counted from January.
    return Array.from({ length: count }, (_, at) =>
      format.format(step === 1 ? Date.UTC(2026, 1, 1 + at) : Date.UTC(2026, at, 1)),
    );
  };
  const made = {
    months: listed(12, 31, { month: 'long' }),
    shortMonths: listed(12, 31, { month: 'short' }),
    days: listed(7, 1, { weekday: 'long' }),
    shortDays: listed(7, 1, { weekday: 'short' }),
  };
  names.set(language, made);
  return made;
}

interface Shown {
  readonly moment: ZonedMoment;
  readonly at: Date;
  readonly names: Names;
}

const weekOf = (at: Date, firstDay: number): number =>
  Math.floor((dayOfYear(at) - 1 - ((at.getUTCDay() - firstDay + 7) % 7) + 7) / 7);

const dayOfYear = (at: Date): number => Math.floor((at.getTime() - Date.UTC(at.getUTCFullYear(), 0, 1)) / dayMs) + 1;

/** The week of ISO 8601 and the year that it belongs to: those of its Thursday. */
function isoWeek(at: Date): { readonly week: number; readonly year: number } {
  const thursday = new Date(at.getTime() + (4 - (at.getUTCDay() || 7)) * dayMs);
  return { week: Math.ceil(dayOfYear(thursday) / 7), year: thursday.getUTCFullYear() };
}

const hour12 = (at: Date): number => at.getUTCHours() % 12 || 12;

interface Directive {
  readonly width: number;
  readonly pad: ' ' | '0';
  readonly text: (shown: Shown) => string | number;
}

const digits = (width: number, text: (shown: Shown) => number, pad: ' ' | '0' = '0'): Directive => ({
  width,
  pad,
  text,
});
const words = (text: (shown: Shown) => string | undefined): Directive => ({
  width: 0,
  pad: ' ',
  text: (shown) => text(shown) ?? '',
});

const directives: Readonly<Record<string, Directive>> = {
  Y: digits(1, ({ at }) => at.getUTCFullYear()),
  C: digits(2, ({ at }) => Math.floor(at.getUTCFullYear() / 100)),
  y: digits(2, ({ at }) => at.getUTCFullYear() % 100),
  m: digits(2, ({ at }) => at.getUTCMonth() + 1),
  B: words(({ at, names: { months } }) => months[at.getUTCMonth()]),
  b: words(({ at, names: { shortMonths } }) => shortMonths[at.getUTCMonth()]),
  h: words(({ at, names: { shortMonths } }) => shortMonths[at.getUTCMonth()]),
  d: digits(2, ({ at }) => at.getUTCDate()),
  e: digits(2, ({ at }) => at.getUTCDate(), ' '),
  j: digits(3, ({ at }) => dayOfYear(at)),
  H: digits(2, ({ at }) => at.getUTCHours()),
  k: digits(2, ({ at }) => at.getUTCHours(), ' '),
  I: digits(2, ({ at }) => hour12(at)),
  l: digits(2, ({ at }) => hour12(at), ' '),
  P: words(({ at }) => (at.getUTCHours() < 12 ? 'am' : 'pm')),
  p: words(({ at }) => (at.getUTCHours() < 12 ? 'AM' : 'PM')),
  M: digits(2, ({ at }) => at.getUTCMinutes()),
  S: digits(2, ({ at }) => at.getUTCSeconds()),
  s: digits(1, ({ moment }) => Math.floor(moment.ms / 1_000)),
  A: words(({ at, names: { days } }) => days[at.getUTCDay()]),
  a: words(({ at, names: { shortDays } }) => shortDays[at.getUTCDay()]),
  u: digits(1, ({ at }) => at.getUTCDay() || 7),
  w: digits(1, ({ at }) => at.getUTCDay()),
  G: digits(1, ({ at }) => isoWeek(at).year),
  g: digits(2, ({ at }) => isoWeek(at).year % 100),
  V: digits(2, ({ at }) => isoWeek(at).week),
  U: digits(2, ({ at }) => weekOf(at, 0)),
  W: digits(2, ({ at }) => weekOf(at, 1)),
  Z: words(({ moment }) => (moment.offset === 0 ? 'UTC' : '')),
  n: words(() => '\n'),
  t: words(() => '\t'),
  '%': words(() => '%'),
};

/** Directives that stand for others. */
const compound: Readonly<Record<string, string>> = {
  F: '%Y-%m-%d',
  T: '%H:%M:%S',
  X: '%H:%M:%S',
  D: '%m/%d/%y',
  x: '%m/%d/%y',
  R: '%H:%M',
  r: '%I:%M:%S %p',
  c: '%a %b %e %H:%M:%S %Y',
  v: '%e-%^b-%Y',
};

/** The widest field: a template must not ask for a gigabyte of blanks. */
const widest = 1_000;

/**
 * Formats a moment.
 * @param language the language of the names of months and days
 */
export function strftime(moment: ZonedMoment, format: string, language = 'en'): string {
  const shown = { moment, at: local(moment), names: namesIn(language) };
  return format.replaceAll(/%([-0^#_]*)(\d{1,4})?(:{0,2})([A-Za-z%])/g, (whole: string, ...found: string[]) => {
    const [flags = '', width = '0', colons = '', letter = ''] = found;
    const field = { flags, width: Math.min(Number(width), widest) };
    const parts = compound[letter];
    if (parts !== undefined)
      return cased(padded(strftime(moment, parts, language), field, { width: 0, pad: ' ' }), flags);
    if (letter === 'z') return padded(offsetText(moment.offset, colons), field, { width: 0, pad: '0' });
    if (letter === 'L' || letter === 'N') return fractionText(shown.at, field.width || (letter === 'L' ? 3 : 9));
    const directive = colons === '' ? directives[letter] : undefined;
    if (directive === undefined) return whole;
    return cased(padded(String(directive.text(shown)), field, directive), flags, letter);
  });
}

interface Field {
  readonly flags: string;
  readonly width: number;
}

function padded(text: string, { flags, width }: Field, usual: Pick<Directive, 'width' | 'pad'>): string {
  if (flags.includes('-')) return text;
  const pad = flags.includes('_') ? ' ' : flags.includes('0') ? '0' : usual.pad;
  return text.padStart(width || usual.width, pad);
}

function cased(text: string, flags: string, letter = ''): string {
  if (flags.includes('^')) return text.toUpperCase();
  if (!flags.includes('#')) return text;
  return letter === 'p' ? text.toLowerCase() : text.toUpperCase();
}

function offsetText(offset: number, colons: string): string {
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60].map((part) =>
    String(part).padStart(2, '0'),
  );
  const seconds = colons.length === 2 ? ':00' : '';
  return `${offset < 0 ? '-' : '+'}${hours}${colons === '' ? '' : ':'}${minutes}${seconds}`;
}

const fractionText = (at: Date, width: number): string =>
  String(at.getUTCMilliseconds()).padStart(3, '0').padEnd(width, '0').slice(0, width);
