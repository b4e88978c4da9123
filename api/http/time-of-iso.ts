/** Times as people write them. */
import { z } from 'zod';
import { isoTime } from '../../runtime/clock.ts';
import type { wrongFieldIssue } from './fit-schema.ts';

const isoShape = /^(?<day>\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?<zone>Z|[+-]\d\d:?\d\d)?)?$/;

/** Returns the epoch milliseconds of a time in ISO 8601, UTC where no zone is given; NaN for any other text. */
export function timeOfIso(text: string): number {
  const { day, zone } = isoShape.exec(text)?.groups ?? {};
  if (day === undefined || !isDay(day)) return Number.NaN;
  return Date.parse(text.includes('T') && zone === undefined ? `${text}Z` : text);
}

/**
 * Returns the schema of a time in a query, which is read as epoch milliseconds.
 * @param wrong the issue for a text that is not one
 */
export function momentField(wrong: ReturnType<typeof wrongFieldIssue>, read: (text: string) => number = timeOfIso) {
  return z
    .string()
    .max(40)
    .transform((text, context) => {
      const at = read(text);
      if (!Number.isNaN(at)) return at;
      context.addIssue(wrong);
      return z.NEVER;
    });
}

/** The engine accepts the 30th of February and takes it for the 1st of March. */
function isDay(day: string): boolean {
  const at = Date.parse(day);
  return !Number.isNaN(at) && isoTime(at).startsWith(day);
}
