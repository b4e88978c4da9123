/** Times as people write them. */
import { isoTime } from '../../runtime/clock.ts';

const isoShape = /^(?<day>\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?<zone>Z|[+-]\d\d:?\d\d)?)?$/;

/** Returns the epoch milliseconds of a time in ISO 8601, UTC where no zone is given; NaN for any other text. */
export function timeOfIso(text: string): number {
  const { day, zone } = isoShape.exec(text)?.groups ?? {};
  if (day === undefined || !isDay(day)) return Number.NaN;
  return Date.parse(text.includes('T') && zone === undefined ? `${text}Z` : text);
}

/** The engine accepts the 30th of February and takes it for the 1st of March. */
function isDay(day: string): boolean {
  const at = Date.parse(day);
  return !Number.isNaN(at) && isoTime(at).startsWith(day);
}
