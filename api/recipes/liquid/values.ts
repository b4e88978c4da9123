/** Values as they are printed into markup. */
import { isNumeric, textOfNumber } from './numbers.ts';

/** A map of a JSON text. */
export const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !isNumeric(value) &&
  !('liquidMethodMissing' in value);

/** Returns the text of a value: lists without commas, maps in the words of Ruby, as recipes print them to be read. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (isNumeric(value)) return textOfNumber(value);
  if (Array.isArray(value)) return value.map(textOf).join('');
  return isMap(value) ? inspected(value) : String(value);
}

/** Returns the text that filters of texts make of a value: that of a list has brackets and commas there. */
export const filteredText = (value: unknown): string => (Array.isArray(value) ? inspected(value) : textOf(value));

function inspected(value: unknown): string {
  if (value === null || value === undefined) return 'nil';
  if (typeof value === 'string') return JSON.stringify(value);
  if (isNumeric(value)) return textOfNumber(value);
  if (Array.isArray(value)) return `[${value.map(inspected).join(', ')}]`;
  if (!isMap(value)) return String(value);
  return `{${Object.entries(value)
    .map(([key, each]) => `${JSON.stringify(key)}=>${inspected(each)}`)
    .join(', ')}}`;
}

/** Counts the characters of a text, those beyond the first plane once (RC-41). */
export function countCharacters(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}
