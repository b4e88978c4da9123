/** The filters that TRMNL adds to Liquid (RC, section A6), and `sky`, which is ours. */
import { type Context, type Liquid, Value } from 'liquidjs';
import { marked } from 'marked';
import pluralize from 'pluralize';
import { encode } from 'uqr';
import { strftime } from './dates.ts';
import type { Filter } from './filter.ts';
import { equals, isTruthy, itemsOf, propertyOf } from './items.ts';
import { isNumeric, numberOf, round } from './numbers.ts';
import { readData } from './read-data.ts';
import { readMoment } from './read-moment.ts';
import { skyOver } from './sky.ts';
import { isMap, textOf } from './values.ts';
import { wordIn } from './words.ts';

/** The surroundings that the engine hands to a filter besides its arguments. */
interface Surroundings {
  readonly context: Context;
  readonly liquid: Liquid;
}

/** Named arguments come as pairs; the others in their order. */
function argumentsOf(args: readonly unknown[]): {
  readonly inOrder: readonly unknown[];
  readonly named: Readonly<Record<string, unknown>>;
} {
  const isNamed = (arg: unknown): arg is [string, unknown] =>
    Array.isArray(arg) && arg.length === 2 && typeof arg[0] === 'string';
  return { inOrder: args.filter((arg) => !isNamed(arg)), named: Object.fromEntries(args.filter(isNamed)) };
}

function delimited(value: unknown, delimiter: unknown = ',', separator: unknown = '.'): string {
  const text = textOf(value);
  const found = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text.trim());
  if (found === null) return text;
  const [, sign = '', whole = '', part] = found;
  const first = whole.length % 3 || 3;
  const groups = [whole.slice(0, first), ...(whole.slice(first).match(/\d{3}/g) ?? [])];
  return `${sign}${groups.join(textOf(delimiter))}${part === undefined ? '' : textOf(separator) + part}`;
}

/** The currencies of the languages that may stand in place of a unit. */
const currencies: Readonly<Record<string, string>> = {
  en: 'USD',
  'en-GB': 'GBP',
  de: 'EUR',
  fr: 'EUR',
  es: 'EUR',
  'es-ES': 'EUR',
  it: 'EUR',
  nl: 'EUR',
  pt: 'EUR',
  'pt-BR': 'BRL',
  sv: 'SEK',
  da: 'DKK',
  no: 'NOK',
  nb: 'NOK',
  pl: 'PLN',
  cs: 'CZK',
  hu: 'HUF',
  ja: 'JPY',
  ko: 'KRW',
  'zh-CN': 'CNY',
  uk: 'UAH',
  ru: 'RUB',
};

/** Puts a unit in front of an amount; the unit of a language stands where the language has it. */
function withUnit(amount: string, unit: string): string {
  const currency = currencies[unit];
  if (currency === undefined) return unit + amount;
  const format = new Intl.NumberFormat(unit, { style: 'currency', currency, currencyDisplay: 'narrowSymbol' });
  const parts = format
    .formatToParts(1)
    .filter(({ type }) => type === 'currency' || type === 'integer' || type === 'literal');
  return parts.map(({ type, value }) => (type === 'integer' ? amount : value.replaceAll(/\s/g, ' '))).join('');
}

/** The separators are those that are given, also for the unit of a language. */
const money: Filter = (value, ...args) => {
  const [unit = '$', delimiter = ',', separator = '.', precision = 2] = args;
  if (value === null || value === undefined) return value;
  const places = Math.max(0, Math.min(20, Number(numberOf(precision))));
  const isAmount = isNumeric(value) || /^\s*-?\d+(?:\.\d+)?\s*$/.test(textOf(value));
  if (!isAmount) return withUnit(textOf(value), textOf(unit));
  const amount = delimited(Number(round(numberOf(value), places)).toFixed(places), delimiter, separator);
  return amount.startsWith('-') ? `-${withUnit(amount.slice(1), textOf(unit))}` : withUnit(amount, textOf(unit));
};

/** Formats that have names. */
const namedFormats: Readonly<Record<string, string>> = {
  default: '%Y-%m-%d',
  short: '%b %d',
  shorter: '%b %-d',
  long: '%B %d, %Y',
};

function ordinal(day: number): string {
  const isTeen = day % 100 >= 11 && day % 100 <= 13;
  const ending = isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][day % 10] ?? 'th');
  return `${day}${ending}`;
}

/** Draws a code as vector graphics, a square of so many units for each module. */
function qrCode(value: unknown, size: unknown = 11, level: unknown = 'h', view: unknown = 'responsive'): string {
  const ecc = textOf(level).toUpperCase();
  const { data } = encode(textOf(value).slice(0, 1_200), {
    ecc: ecc === 'L' || ecc === 'M' || ecc === 'Q' ? ecc : 'H',
    border: 0,
  });
  const unit = Math.max(1, Math.min(100, Math.trunc(Number(numberOf(size)))));
  const side = data.length * unit;
  const path = data
    .flatMap((row, y) =>
      row.flatMap((isDark, x) => (isDark ? [`M${x * unit},${y * unit}h${unit}v${unit}h-${unit}z`] : [])),
    )
    .join('');
  const extent = textOf(view) === 'responsive' ? `viewBox="0 0 ${side} ${side}"` : `width="${side}" height="${side}"`;
  return `<svg version="1.1" xmlns="http://www.w3.org/2000/svg" ${extent} class="qr-code" shape-rendering="crispEdges"><path d="${path}" fill="#000"/></svg>`;
}

/** A map of lists. A loop goes through it in the order of the items, also where its keys are numbers. */
function groupedBy(value: unknown, key: unknown): Readonly<Record<string, unknown>> {
  const groups = new Map<string, unknown[]>();
  for (const item of itemsOf(value)) {
    const name = textOf(propertyOf(item, key));
    const group = groups.get(name) ?? [];
    groups.set(name, group);
    group.push(item);
  }
  return Object.defineProperty(Object.fromEntries(groups), Symbol.iterator, { value: () => groups.entries() });
}

/** Makes HTML of Markdown without extensions. */
function htmlOf(text: string): string {
  try {
    return marked.parse(text, { async: false, gfm: false });
  } catch {
    throw new Error('Markdown that is nested too deeply');
  }
}

/** Keeps the items of a list, or the values of a map, of which a condition is true. */
function* whereTrue(
  this: Surroundings,
  value: unknown,
  name: unknown,
  condition: unknown,
): Generator<unknown, unknown, unknown> {
  if (typeof value === 'string' || value === null || value === undefined) return value;
  const judged = new Value(textOf(condition), this.liquid);
  const kept: unknown[] = [];
  for (const item of isMap(value) ? Object.values(value) : itemsOf(value)) {
    this.context.renderLimit.check(performance.now());
    this.context.push({ [textOf(name)]: item });
    try {
      if (isTruthy(yield judged.value(this.context))) kept.push(item);
    } finally {
      this.context.pop();
    }
  }
  return kept;
}

const counted: Filter = (value, ...args) => {
  const { inOrder, named } = argumentsOf(args);
  const count = Number(numberOf(inOrder[0]));
  const word = textOf(value);
  return count === 1
    ? `1 ${word}`
    : `${textOf(inOrder[0])} ${named.plural === undefined ? pluralOf(word) : textOf(named.plural)}`;
};

const pluralOf = (word: string): string =>
  /(?:octop|vir)us$/i.test(word) ? word.replace(/us$/i, 'i') : pluralize(word);

/**
 * Returns the filters.
 * @param now the time that it is, in milliseconds
 * @param random draws a number in [0, 1)
 */
export function frameFilters(now: () => number, random: () => number): Readonly<Record<string, Filter>> {
  const formatted = (value: unknown, format: unknown, language = 'en'): unknown => {
    const moment = readMoment(value, now());
    return moment === undefined ? value : strftime(moment, namedFormats[textOf(format)] ?? textOf(format), language);
  };
  return {
    append_random: (value) =>
      textOf(value) +
      Math.floor(random() * 65_536)
        .toString(16)
        .padStart(4, '0'),
    days_ago: (value, zone = 'Etc/UTC') => {
      const at = now() - Math.trunc(Number(numberOf(value))) * 86_400_000;
      return new Intl.DateTimeFormat('sv-SE', { timeZone: textOf(zone) }).format(at);
    },
    group_by: groupedBy,
    find_by: (value, key, wanted, otherwise = null) =>
      itemsOf(value).find((item) => equals(propertyOf(item, key), wanted)) ?? otherwise,
    where_exp: whereTrue as Filter,
    markdown_to_html: (value) => htmlOf(textOf(value)),
    number_with_delimiter: delimited,
    number_to_currency: money,
    l_word: (value, language = 'en') => wordIn(textOf(language), textOf(value)),
    l_date: (value, format, language = 'en') => formatted(value, format, textOf(language)),
    ordinalize: (value, format) => {
      const moment = readMoment(value, now());
      if (moment === undefined) return value;
      const day = Number(strftime(moment, '%-d'));
      return strftime(moment, textOf(format).replaceAll('<<ordinal_day>>', ordinal(day)));
    },
    map_to_i: (value) => itemsOf(value).map((item) => Math.trunc(Number(numberOf(item)))),
    parse_json: (value) => {
      try {
        return readData(textOf(value));
      } catch {
        throw new Error('invalid JSON');
      }
    },
    sample: (value) => {
      const items = itemsOf(value);
      return items[Math.floor(random() * items.length)];
    },
    pluralize: counted,
    qr_code: qrCode,
    sky: (value, place, offset = 0) => {
      const moment = readMoment(value, now());
      return moment === undefined ? null : skyOver(moment.ms, textOf(place), Number(numberOf(offset)));
    },
  };
}
