/** Filters of lists (RC-40 to RC-43). */
import { type Filter, FilterError } from './filter.ts';
import { equals, isTruthy, itemsOf, propertyOf } from './items.ts';
import { addNumbers, isNumeric, numberOf } from './numbers.ts';
import { countCharacters, isMap, textOf } from './values.ts';

type Compare = (one: unknown, other: unknown) => number;

const compareKnown: Compare = (one, other) => {
  if (isNumeric(one) && isNumeric(other)) return Number(one) - Number(other);
  if (typeof one === 'string' && typeof other === 'string') return one < other ? -1 : one > other ? 1 : 0;
  if (equals(one, other)) return 0;
  throw new FilterError('cannot sort values of incompatible types');
};

const compareWords: Compare = (one, other) => compareKnown(textOf(one).toLowerCase(), textOf(other).toLowerCase());

const sorted =
  (compare: Compare): Filter =>
  (value, property) => {
    const keyed = itemsOf(value).map((item) => ({
      item,
      key: property === undefined ? item : propertyOf(item, property),
    }));
    const isNothing = (key: unknown): boolean => key === null || key === undefined;
    return keyed
      .sort((one, other) => {
        if (isNothing(one.key) || isNothing(other.key))
          return Number(isNothing(one.key)) - Number(isNothing(other.key));
        return compare(one.key, other.key);
      })
      .map(({ item }) => item);
  };

const identity = (item: unknown): string => `${typeof item} ${JSON.stringify(item)}`;

function unique(items: readonly unknown[], keyOf: (item: unknown) => unknown): unknown[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const key = identity(keyOf(item));
    return !seen.has(key) && seen.add(key);
  });
}

const where =
  (isWanted: boolean): Filter =>
  (value, property, wanted) =>
    itemsOf(value).filter((item) => {
      const found = propertyOf(item, property);
      return (wanted === undefined || wanted === null ? isTruthy(found) : equals(found, wanted)) === isWanted;
    });

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return countCharacters(value);
  if (Array.isArray(value)) return value.length;
  if (isMap(value)) return Object.keys(value).length;
  return isNumeric(value) ? 8 : 0;
}

/** The filters of lists. */
export const listFilters: Readonly<Record<string, Filter>> = {
  size: sizeOf,
  first: (value) => (Array.isArray(value) ? value[0] : isMap(value) ? Object.entries(value)[0] : undefined),
  last: (value) => (Array.isArray(value) ? value.at(-1) : undefined),
  join: (value, glue = ' ') => itemsOf(value).map(textOf).join(textOf(glue)),
  sort: sorted(compareKnown),
  sort_natural: sorted(compareWords),
  where: where(true),
  reject: where(false),
  find: (value, property, wanted) => itemsOf(value).find((item) => equals(propertyOf(item, property), wanted)),
  find_index: (value, property, wanted) => {
    const at = itemsOf(value).findIndex((item) => equals(propertyOf(item, property), wanted));
    return at < 0 ? null : at;
  },
  has: (value, property, wanted) => itemsOf(value).some((item) => equals(propertyOf(item, property), wanted)),
  map: (value, property) => itemsOf(value).map((item) => propertyOf(item, property)),
  uniq: (value, property) =>
    unique(itemsOf(value), property === undefined ? (item) => item : (item) => propertyOf(item, property)),
  compact: (value, property) =>
    itemsOf(value).filter((item) => ((property === undefined ? item : propertyOf(item, property)) ?? null) !== null),
  reverse: (value) => [...itemsOf(value)].reverse(),
  concat: (value, other) => {
    if (!Array.isArray(other)) throw new FilterError('concat filter requires an array argument');
    return [...itemsOf(value), ...other];
  },
  sum: (value, property) =>
    itemsOf(value)
      .map((item) => numberOf(property === undefined ? item : propertyOf(item, property)))
      .reduce(addNumbers, 0),
};
