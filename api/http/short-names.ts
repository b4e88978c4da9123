/** The length of names, as a person counts their characters. */
import { z } from 'zod';
import { reasonOf } from '../../reasons/reason.ts';
import { refuse } from '../../reasons/refusals.ts';
import { wrongFieldIssue } from './fit-schema.ts';

/** Characters of the longest name of a device, paper, person or organization. */
export const maxNameCharacters = 80;

/** A character that is seen may be many code units: a family of four is eleven. Nobody means more than these. */
const maxUnitsOfCharacter = 40;

/** Names by the fields of a body that hold them; a value that is not a text is ignored. */
type Names = Readonly<Record<string, unknown>>;

const characters = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Returns whether a name has more characters than a name may have; an emoji is one, whatever it is put together from. */
export function isLongName(name: string): boolean {
  if (name.length <= maxNameCharacters) return false;
  return name.length > maxNameCharacters * maxUnitsOfCharacter || partsOf(name).length > maxNameCharacters;
}

const partsOf = (name: string): string[] => [...characters.segment(name)].map(({ segment }) => segment);

const cutName = (name: string): string =>
  isLongName(name)
    ? `${partsOf(name.slice(0, maxNameCharacters * maxUnitsOfCharacter))
        .slice(0, maxNameCharacters - 1)
        .join('')}…`
    : name;

/** Returns the fields with names that are too long cut, but for those that are stored. */
export function cutNames(given: Names, fields: readonly string[], stored: Names = {}): Record<string, unknown> {
  const cut = fields.flatMap((field) => {
    const name = given[field];
    return typeof name === 'string' && name !== stored[field] ? [[field, cutName(name)]] : [];
  });
  return { ...given, ...Object.fromEntries(cut) };
}

/** The schema of a name that is new: there is none that it could keep. */
export const newName = z
  .string()
  .trim()
  .min(1)
  .max(maxNameCharacters * maxUnitsOfCharacter)
  .refine((name) => !isLongName(name), wrongFieldIssue('field-name-long', { most: maxNameCharacters }))
  .describe(`At most ${maxNameCharacters} characters`);

/**
 * Requires names that are not too long. One that is stored already may stay: a client that changes another field sends
 * it back.
 * @throws Refusal `invalid-request`
 */
export function requireShortNames(given: Names, stored: Names = {}): void {
  for (const [field, name] of Object.entries(given)) {
    if (typeof name !== 'string' || name === stored[field] || !isLongName(name)) continue;
    throw refuse('invalid-request', { hint: reasonOf('field-name-long', { field, most: maxNameCharacters }) });
  }
}
