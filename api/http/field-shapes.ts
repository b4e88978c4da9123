/** Shapes of single values that all rooms' routes share. */
import { z } from 'zod';
import { refuse } from '../../gateway/runtime/refusals.ts';
import { inWords, usualJsonLimitBytes } from './body-limits.ts';

/** An id of ours; the same form as `isId` knows. */
export const objectId = z.string().regex(/^[0-9a-f]{24}$/, 'expected 24 lowercase hex characters');

/** A free-form object, values may be null. Names that reach a prototype were refused with the JSON (T-18). */
export const openObject = z.looseObject({});

/** What the contract says of `meta` in an update of users, organizations and devices; papers do the same (C-46). */
export const replacesMeta = 'Replaces the stored meta as a whole; left out, that stays';

/** Path parameters of routes that have none. */
export const noParams = z.object({});

/** The JSON object in a text column; anything else in there reads as an empty one. */
export function storedObject(json: string): Record<string, unknown> {
  const value: unknown = JSON.parse(json);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

/**
 * The JSON that a row keeps as its `meta`. It may be as large as a body that brings it whole, by whatever road it comes and
 * whatever it was merged with: many small ones would else make a row that nobody could send (T-21).
 * @throws Refusal `body-too-large`
 */
export function metaText(meta: unknown): string {
  const text = JSON.stringify(meta);
  if (Buffer.byteLength(text) > usualJsonLimitBytes) {
    const limit = inWords(usualJsonLimitBytes);
    throw refuse('body-too-large', { message: `meta would be larger than ${limit}`, hint: `meta: at most ${limit}` });
  }
  return text;
}

/** Whether a text names a time zone. */
export function isTimezone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
