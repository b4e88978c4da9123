/** The filters of Liquid that the engine's library answers otherwise than Liquid in Ruby does (RC-30 to RC-43). */
import { strftime } from './dates.ts';
import * as numbers from './numbers.ts';
import { momentOf } from './read-moment.ts';
import { isMap, textOf } from './values.ts';

/** A filter: the value before it, then its arguments. Named arguments come as pairs of name and value. */
export type Filter = (value: unknown, ...args: readonly unknown[]) => unknown;

/** A failure of a filter, which is printed where it stood; the page goes on (RC-46). */
class FilterError extends Error {}

const { numberOf } = numbers;

const calculated =
  (work: (left: numbers.Numeric, right: numbers.Numeric) => numbers.Numeric): Filter =>
  (value, operand) =>
    work(numberOf(value), numberOf(operand));

/** Whole numbers and texts of them, and nothing else. */
function wholeOf(value: unknown): number {
  const text = textOf(value);
  if (!/^\s*[+-]?\d+\s*$/.test(text)) throw new FilterError('invalid integer');
  return Number(text);
}

const whole =
  (work: (value: number) => number): Filter =>
  (value) =>
    work(Number(numberOf(value))) + 0;

const pick =
  (isBetter: (one: number, other: number) => boolean): Filter =>
  (value, bound) => {
    const [own, other] = [numberOf(value), numberOf(bound)];
    return isBetter(Number(other), Number(own)) ? other : own;
  };

const arithmetic: Readonly<Record<string, Filter>> = {
  plus: calculated(numbers.add),
  minus: calculated(numbers.subtract),
  times: calculated(numbers.multiply),
  divided_by: calculated(numbers.divide),
  modulo: calculated(numbers.remainder),
  abs: (value) => (Number(numberOf(value)) < 0 ? numbers.subtract(0, numberOf(value)) : numberOf(value)),
  ceil: whole(Math.ceil),
  floor: whole(Math.floor),
  round: (value, places = 0) => numbers.round(numberOf(value), Number(numberOf(places))),
  at_least: pick((bound, own) => bound > own),
  at_most: pick((bound, own) => bound < own),
  to_float: (value) => numberOf(value),
};

/** Lists are flat, a map is a list of one, and everything else but nothing too. */
export function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.flat(Number.POSITIVE_INFINITY);
  return value === null || value === undefined ? [] : [value];
}

/** Reads what an item has under a name; a list has its items by number. */
export function fieldOf(item: unknown, name: unknown): unknown {
  const key = textOf(name);
  if (isMap(item)) return Object.hasOwn(item, key) ? item[key] : null;
  if (item === null || item === undefined) return null;
  if (Array.isArray(item) && typeof name === 'number') return item[name] ?? null;
  throw new FilterError(`cannot select the property '${key}'`);
}

type Compare = (one: unknown, other: unknown) => number;

const compareKnown: Compare = (one, other) => {
  if (numbers.isNumeric(one) && numbers.isNumeric(other)) return Number(one) - Number(other);
  if (typeof one === 'string' && typeof other === 'string') return one < other ? -1 : one > other ? 1 : 0;
  if (equals(one, other)) return 0;
  throw new FilterError('cannot sort values of incompatible types');
};

const compareWords: Compare = (one, other) => compareKnown(textOf(one).toLowerCase(), textOf(other).toLowerCase());

const sorted =
  (compare: Compare): Filter =>
  (value, property) => {
    const keyed = listOf(value).map((item) => ({ item, key: property === undefined ? item : fieldOf(item, property) }));
    const isNothing = (key: unknown): boolean => key === null || key === undefined;
    return keyed
      .sort((one, other) => {
        if (isNothing(one.key) || isNothing(other.key)) return Number(isNothing(one.key)) - Number(isNothing(other.key));
        return compare(one.key, other.key);
      })
      .map(({ item }) => item);
  };

export const isTruthy = (value: unknown): boolean => value !== null && value !== undefined && value !== false;

export function equals(one: unknown, other: unknown): boolean {
  if (numbers.isNumeric(one) && numbers.isNumeric(other)) return Number(one) === Number(other);
  if (typeof one === 'object' && one !== null) return JSON.stringify(one) === JSON.stringify(other);
  return one === other || ((one ?? null) === null && (other ?? null) === null);
}

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
    listOf(value).filter((item) => {
      const found = fieldOf(item, property);
      return (wanted === undefined || wanted === null ? isTruthy(found) : equals(found, wanted)) === isWanted;
    });

const lists: Readonly<Record<string, Filter>> = {
  size: (value) => (typeof value === 'string' || Array.isArray(value) ? [...value].length : isMap(value) ? Object.keys(value).length : numbers.isNumeric(value) ? 8 : 0),
  first: (value) => (Array.isArray(value) ? value[0] : isMap(value) ? Object.entries(value)[0] : undefined),
  last: (value) => (Array.isArray(value) ? value.at(-1) : undefined),
  join: (value, glue = ' ') => listOf(value).map(textOf).join(textOf(glue)),
  sort: sorted(compareKnown),
  sort_natural: sorted(compareWords),
  where: where(true),
  reject: where(false),
  find: (value, property, wanted) => listOf(value).find((item) => equals(fieldOf(item, property), wanted)),
  find_index: (value, property, wanted) => {
    const at = listOf(value).findIndex((item) => equals(fieldOf(item, property), wanted));
    return at < 0 ? null : at;
  },
  has: (value, property, wanted) => listOf(value).some((item) => equals(fieldOf(item, property), wanted)),
  map: (value, property) => listOf(value).map((item) => fieldOf(item, property)),
  uniq: (value, property) => unique(listOf(value), property === undefined ? (item) => item : (item) => fieldOf(item, property)),
  compact: (value, property) => listOf(value).filter((item) => ((property === undefined ? item : fieldOf(item, property)) ?? null) !== null),
  reverse: (value) => [...listOf(value)].reverse(),
  concat: (value, other) => {
    if (!Array.isArray(other)) throw new FilterError('concat filter requires an array argument');
    return [...listOf(value), ...other];
  },
  sum: (value, property) =>
    listOf(value)
      .map((item) => numberOf(property === undefined ? item : fieldOf(item, property)))
      .reduce(numbers.add, 0),
};

function sliced(value: unknown, from: unknown, length: unknown = 1): unknown {
  const parts: readonly unknown[] = Array.isArray(value) ? value : [...textOf(value)];
  const [begin, count] = [wholeOf(from), wholeOf(length)];
  const start = begin < 0 ? parts.length + begin : begin;
  const taken = start < 0 || count < 0 ? [] : parts.slice(start, start + count);
  return Array.isArray(value) ? taken : taken.join('');
}

/** A single blank divides at any white space, and drops what is empty in front (RC-40). */
function splitText(value: unknown, pattern: unknown): string[] {
  const [text, by] = [textOf(value), textOf(pattern)];
  const parts = by === ' ' ? text.trim().split(/\s+/) : by === '' ? [...text] : text.split(by);
  while (parts.at(-1) === '') parts.pop();
  return parts;
}

function shortened(value: unknown, length: unknown = 50, ending: unknown = '...'): unknown {
  if (value === null || value === undefined) return value;
  const [letters, end] = [[...textOf(value)], [...textOf(ending)]];
  const most = wholeOf(length);
  return letters.length > most ? [...letters.slice(0, Math.max(0, most - end.length)), ...end].join('') : letters.join('');
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (value: unknown): unknown =>
  (value ?? null) === null ? value : textOf(value).replaceAll(/[&<>"']/g, (letter) => escapes[letter] ?? letter);

const capitalized = (value: unknown): string => {
  const [first = '', ...others] = [...textOf(value)];
  return first.toUpperCase() + others.join('').toLowerCase();
};

function replacedLast(value: unknown, part: unknown, by: unknown): string {
  const [text, sought] = [textOf(value), textOf(part)];
  const at = text.lastIndexOf(sought);
  return at < 0 ? text : text.slice(0, at) + textOf(by) + text.slice(at + sought.length);
}

const replacedFirst = (value: unknown, part: unknown, by: unknown = ''): string =>
  textOf(value).replace(textOf(part), () => textOf(by));
const replacedAll = (value: unknown, part: unknown, by: unknown = ''): string =>
  textOf(value).replaceAll(textOf(part), () => textOf(by));

function wordsOf(value: unknown, count: unknown = 15, ending: unknown = '...'): unknown {
  if (value === null || value === undefined) return value;
  const most = Math.max(1, wholeOf(count));
  const words = textOf(value).trim().split(/\s+/);
  return words.length <= most ? textOf(value) : words.slice(0, most).join(' ') + textOf(ending);
}

const unlessNothing =
  (work: (text: string) => string): Filter =>
  (value) =>
    value === null || value === undefined ? value : work(textOf(value));

const texts: Readonly<Record<string, Filter>> = {
  slice: sliced,
  split: splitText,
  truncate: shortened,
  truncatewords: wordsOf,
  escape: escaped,
  h: escaped,
  escape_once: (value) =>
    textOf(value).replaceAll(/["><']|&(?!(?:[a-zA-Z]+|#\d+);)/g, (letter) => escapes[letter] ?? letter),
  capitalize: capitalized,
  upcase: (value) => textOf(value).toUpperCase(),
  downcase: (value) => textOf(value).toLowerCase(),
  append: (value, more) => textOf(value) + textOf(more),
  prepend: (value, more) => textOf(more) + textOf(value),
  replace: replacedAll,
  replace_first: replacedFirst,
  replace_last: replacedLast,
  remove: (value, part) => replacedAll(value, part),
  remove_first: (value, part) => replacedFirst(value, part),
  remove_last: (value, part) => replacedLast(value, part, ''),
  newline_to_br: (value) => textOf(value).replaceAll(/\r?\n/g, '<br />\n'),
  strip_html: (value) => textOf(value).replaceAll(/<script[\s\S]*?<\/script>|<!--[\s\S]*?-->|<style[\s\S]*?<\/style>/g, '').replaceAll(/<[\s\S]*?>/g, ''),
  url_encode: unlessNothing((text) => encodeURIComponent(text).replaceAll('%20', '+').replaceAll(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)),
};

/**
 * Returns the filters whose answer differs.
 * @param now the time that it is, in milliseconds
 */
export function standardFilters(now: () => number): Readonly<Record<string, Filter>> {
  return {
    ...arithmetic,
    ...lists,
    ...texts,
    date: (value, format) => {
      const wanted = textOf(format);
      const moment = wanted === '' ? undefined : momentOf(value instanceof numbers.Float ? value.value : value, now());
      return moment === undefined ? value : strftime(moment, wanted);
    },
    json: (value) => JSON.stringify(value ?? null),
  };
}
