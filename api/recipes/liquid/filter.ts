/** Filters, and their failures. */
import { textOf } from './values.ts';

/** A filter: the value before it, then its arguments. Named arguments come as pairs of name and value. */
export type Filter = (value: unknown, ...args: readonly unknown[]) => unknown;

/** A failure of a filter, which is printed where it stood; the page goes on (RC-46). */
export class FilterError extends Error {}

/**
 * Reads a whole number or a text of one.
 * @throws FilterError for anything else
 */
export function wholeOf(value: unknown): number {
  const text = textOf(value);
  if (!/^\s*[+-]?\d+\s*$/.test(text)) throw new FilterError('invalid integer');
  return Number(text);
}
