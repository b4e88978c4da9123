/** Lists and their items, as filters and conditions see them. */
import { FilterError } from './filter.ts';
import { isNumeric } from './numbers.ts';
import { isMap, textOf } from './values.ts';

/** Returns a value as a list: lists are flat, a map is a list of one, and everything else but nothing too. */
export function itemsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.flat(Number.POSITIVE_INFINITY);
  return value === null || value === undefined ? [] : [value];
}

/** Reads what an item has under a name; a list has its items by number. */
export function propertyOf(item: unknown, name: unknown): unknown {
  const key = textOf(name);
  if (isMap(item)) return Object.hasOwn(item, key) ? item[key] : null;
  if (item === null || item === undefined) return null;
  if (Array.isArray(item) && typeof name === 'number') return item[name] ?? null;
  throw new FilterError(`cannot select the property '${key}'`);
}

/** Returns whether a condition takes a value: everything but nothing and `false`. */
export const isTruthy = (value: unknown): boolean => value !== null && value !== undefined && value !== false;

/** Returns whether two values are the same: numbers by their size, lists and maps by what they hold. */
export function equals(one: unknown, other: unknown): boolean {
  if (isNumeric(one) && isNumeric(other)) return Number(one) === Number(other);
  if (typeof one === 'object' && one !== null) return JSON.stringify(one) === JSON.stringify(other);
  return one === other || ((one ?? null) === null && (other ?? null) === null);
}

/** Returns the place of an item in a loop, as templates read it. */
export const loopOf = (index: number, length: number) => ({
  index: index + 1,
  index0: index,
  rindex: length - index,
  rindex0: length - index - 1,
  length,
  first: index === 0,
  last: index === length - 1,
});
