/** Shapes of single values that all rooms' routes share. */

import { z } from 'zod';
import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import { isRecord } from '../../runtime/plain-record.ts';
import { defaultJsonLimitBytes, inWords } from './body-limits.ts';
import { wrongField } from './fit-schema.ts';

/** One of our own ids, in the form that `isId` accepts. */
export const objectId = z.string().regex(/^[0-9a-f]{24}$/, wrongField('field-not-id'));

/** Ids in a query, separated by commas: at least one, and at most so many. */
export const idList = (most: number) =>
  z
    .string()
    .max(most * 25)
    .transform((text) => text.split(','))
    .pipe(z.array(objectId).min(1).max(most))
    .meta({ type: 'string', items: undefined, minItems: undefined, maxItems: undefined });

/** A free-form object whose values may be null. Names that reach a prototype were refused with the JSON (T-18). */
export const openObject = z.looseObject({});

/** The contract's words on `meta` in an update of users, organizations and devices; papers do the same (C-46). */
export const replacesMeta = 'Replaces the stored meta as a whole; left out, that stays';

/** Reads the JSON object in a text column; any other value in it reads as an empty object. */
export function storedObject(json: string): Record<string, unknown> {
  const value: unknown = JSON.parse(json);
  return isRecord(value) ? (value as Record<string, unknown>) : {};
}

/**
 * Returns the JSON that a row stores as its `meta`. It may be as large as a body that brings it whole, however it
 * arrives and whatever it was merged with: many small changes could otherwise make a row that no body could bring
 * (T-21).
 * @throws Refusal `body-too-large`
 */
export function metaText(meta: unknown): string {
  const text = JSON.stringify(meta);
  if (Buffer.byteLength(text) > defaultJsonLimitBytes) {
    const limit = inWords(defaultJsonLimitBytes);
    throw refuse('body-too-large', {
      message: `meta would be larger than ${limit}`,
      hint: reasonOf('field-at-most', { field: 'meta', most: limit }),
    });
  }
  return text;
}

/** Names that are known to be time zones: there are some hundreds, and more spellings of them. */
const timezones = new Set<string>();
const maxTimezones = 1000;

export function isTimezone(name: string): boolean {
  if (timezones.has(name)) return true;
  try {
    if (new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone === '') return false;
    if (timezones.size < maxTimezones) timezones.add(name);
    return true;
  } catch {
    return false;
  }
}
