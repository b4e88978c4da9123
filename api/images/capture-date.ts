/** The date of a picture as its camera's clock showed it: digits without a zone (FI-12). */

/** The numbers of a date with its time. */
export interface DateDigits {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** The first photograph was taken in this year. Scans carry dates of their own. */
const firstYear = 1826;

/** Zero of several clocks: a camera whose clock was never set. */
const unset: ReadonlySet<string> = new Set(['1904-01-01T00:00:00', '1970-01-01T00:00:00', '1980-01-01T00:00:00']);

/** Writes the digits as `YYYY-MM-DDTHH:MM:SS`; undefined for a date that no calendar has, and for the zero of a clock. */
export function writeDigits({ year, month, day, hour, minute, second }: DateDigits): string | undefined {
  const isDay =
    year >= firstYear && year <= 9999 && month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month);
  if (!isDay || !(hour <= 23 && minute <= 59 && second <= 59)) return undefined;
  const [months, days, hours, minutes, seconds] = [month, day, hour, minute, second].map((digits) =>
    String(digits).padStart(2, '0'),
  );
  const written = `${year}-${months}-${days}T${hours}:${minutes}:${seconds}`;
  return unset.has(written) ? undefined : written;
}

function daysOf(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/** File systems hold names of this length. */
const maxName = 255;

const dayInName = /(?<!\d)((?:19|20)\d\d)([-_.]?)(\d\d)\2(\d\d)/g;
/** The time in one piece, with thousandths or without them. */
const timeInDigits = /^[-_ T]?(\d\d)(\d\d)(\d\d)(?:\d{3})?(?!\d)/;
/** The time in three pieces, after a word such as `at`. */
const timeInPieces = /^\D{1,12}(\d{1,2})[-._:](\d\d)[-._:](\d\d)(?!\d)(?:\s?([AP])\.?M)?/i;
/** The names in which eight digits are a day although no time follows. */
const beforeBareDay = /(?:^|[^a-z])(?:img|pxl|vid|mvimg|photo|image|screenshot)[-_ ]$/i;
/** Names of messengers: the letters of a program, then milliseconds. Barcodes begin with 2 to 9, or are shorter. */
const millisecondsInName = /^(?:[a-z][a-z_-]{0,19})?(1\d{12})(?!\d)/i;

/**
 * Finds the date in the name of a file, as phones, screenshots and messengers write it: `YYYY-MM-DDTHH:MM:SS`, midnight
 * where the name has the day alone. Milliseconds since 1970 are read in UTC, since the name has no zone.
 * @returns undefined for a name without one; eight digits by themselves are a number
 */
export function dateInName(name: string): string | undefined {
  const last = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1).slice(0, maxName);
  for (const found of last.matchAll(dayInName)) {
    const [whole, year, separator, month, day] = found;
    const rest = last.slice(found.index + whole.length);
    const time = timeAfter(rest);
    const isNumber = /^\d/.test(rest) && (separator !== '' || time === undefined);
    const isBare = separator === '' && time === undefined;
    const isNamed = beforeBareDay.test(last.slice(0, found.index)) || /^-WA\d/i.test(rest);
    if (isNumber || (isBare && !isNamed)) continue;
    const digits = { year: Number(year), month: Number(month), day: Number(day) };
    const written = writeDigits({ ...digits, ...(time ?? { hour: 0, minute: 0, second: 0 }) });
    if (written !== undefined) return written;
  }
  const milliseconds = millisecondsInName.exec(last)?.[1];
  return milliseconds === undefined ? undefined : new Date(Number(milliseconds)).toISOString().slice(0, 19);
}

function timeAfter(rest: string): Pick<DateDigits, 'hour' | 'minute' | 'second'> | undefined {
  const found = timeInDigits.exec(rest) ?? timeInPieces.exec(rest);
  if (found === null) return undefined;
  const [hour, minute, second] = found.slice(1, 4).map(Number) as [number, number, number];
  const half = found[4]?.toUpperCase();
  const isOfDay = minute <= 59 && second <= 59 && (half === undefined ? hour <= 23 : hour >= 1 && hour <= 12);
  if (!isOfDay) return undefined;
  return { hour: half === undefined ? hour : (hour % 12) + (half === 'P' ? 12 : 0), minute, second };
}
