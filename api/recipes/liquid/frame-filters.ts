/** The filters that TRMNL adds to Liquid (RC, section A6), and `sky`, which is ours. */
import { type Context, type Liquid, Value } from 'liquidjs';
import { marked } from 'marked';
import pluralize from 'pluralize';
import { encode } from 'uqr';
import { momentOf, strftime } from './dates.ts';
import { equals, type Filter, fieldOf, isTruthy, listOf } from './filters.ts';
import { readData } from './read-data.ts';
import { numberOf } from './numbers.ts';
import { skyOver } from './sky.ts';
import { isMap, textOf } from './values.ts';
import { wordIn } from './words.ts';

/** What the engine hands to a filter besides its arguments. */
interface Surroundings {
  readonly context: Context;
  readonly liquid: Liquid;
}

/** Named arguments come as pairs; the others in their order. */
function argumentsOf(args: readonly unknown[]): { readonly inOrder: readonly unknown[]; readonly named: Readonly<Record<string, unknown>> } {
  const isNamed = (arg: unknown): arg is [string, unknown] => Array.isArray(arg) && arg.length === 2 && typeof arg[0] === 'string';
  return { inOrder: args.filter((arg) => !isNamed(arg)), named: Object.fromEntries(args.filter(isNamed)) };
}

function delimited(value: unknown, delimiter: unknown = ',', separator: unknown = '.'): string {
  const text = textOf(value);
  const found = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text.trim());
  if (found === null) return text;
  const [, sign = '', whole = '', part] = found;
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, () => textOf(delimiter));
  return `${sign}${grouped}${part === undefined ? '' : textOf(separator) + part}`;
}

/** A locale in place of a unit: its own separators, and the sign of the currency of its country. */
function currencyOf(locale: string): { readonly currency: string } | undefined {
  const currency = currencies[locale];
  return currency === undefined ? undefined : { currency };
}

const currencies: Readonly<Record<string, string>> = {
  en: 'USD', 'en-GB': 'GBP', de: 'EUR', fr: 'EUR', es: 'EUR', 'es-ES': 'EUR', it: 'EUR', nl: 'EUR', pt: 'EUR', 'pt-BR': 'BRL',
  sv: 'SEK', da: 'DKK', no: 'NOK', nb: 'NOK', pl: 'PLN', cs: 'CZK', hu: 'HUF', ja: 'JPY', ko: 'KRW', 'zh-CN': 'CNY', uk: 'UAH', ru: 'RUB',
};

function money(value: unknown, unit: unknown = '$', delimiter: unknown = ',', separator: unknown = '.', precision: unknown = 2): string {
  const places = Number(numberOf(precision));
  const amount = Number(numberOf(value)).toFixed(Math.max(0, Math.min(20, places)));
  const known = currencyOf(textOf(unit));
  if (known !== undefined && textOf(unit) !== '$') {
    return new Intl.NumberFormat(textOf(unit), { style: 'currency', currency: known.currency, currencyDisplay: 'narrowSymbol', minimumFractionDigits: places, maximumFractionDigits: places }).format(Number(amount));
  }
  const text = delimited(amount, delimiter, separator);
  return text.startsWith('-') ? `-${textOf(unit)}${text.slice(1)}` : `${textOf(unit)}${text}`;
}

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
  const { data } = encode(textOf(value).slice(0, 1_200), { ecc: ecc === 'L' || ecc === 'M' || ecc === 'Q' ? ecc : 'H', border: 0 });
  const unit = Math.max(1, Math.min(100, Math.trunc(Number(numberOf(size)))));
  const side = data.length * unit;
  const path = data
    .flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x * unit},${y * unit}h${unit}v${unit}h-${unit}z`] : [])))
    .join('');
  const extent = textOf(view) === 'responsive' ? `viewBox="0 0 ${side} ${side}"` : `width="${side}" height="${side}"`;
  return `<svg version="1.1" xmlns="http://www.w3.org/2000/svg" ${extent} class="qr-code" shape-rendering="crispEdges"><path d="${path}" fill="#000"/></svg>`;
}

const randomDigits = (): string => Math.floor(Math.random() * 65_536).toString(16).padStart(4, '0');

function groupedBy(value: unknown, key: unknown): Readonly<Record<string, unknown>> {
  const groups = new Map<string, unknown[]>();
  for (const item of listOf(value)) {
    const name = textOf(fieldOf(item, key));
    groups.set(name, [...(groups.get(name) ?? []), item]);
  }
  return Object.fromEntries(groups);
}

/** Keeps the items of a list, or the values of a map, of which a condition is true. */
function* whereTrue(this: Surroundings, value: unknown, name: unknown, condition: unknown): Generator<unknown, unknown, unknown> {
  if (typeof value === 'string' || value === null || value === undefined) return value;
  const judged = new Value(textOf(condition), this.liquid);
  const kept: unknown[] = [];
  for (const item of isMap(value) ? Object.values(value) : listOf(value)) {
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
  return count === 1 ? `1 ${word}` : `${textOf(inOrder[0])} ${named.plural === undefined ? pluralOf(word) : textOf(named.plural)}`;
};

const pluralOf = (word: string): string => (/(?:octop|vir)us$/i.test(word) ? word.replace(/us$/i, 'i') : pluralize(word));

/**
 * Returns the filters.
 * @param now the time that it is, in milliseconds
 */
export function frameFilters(now: () => number): Readonly<Record<string, Filter>> {
  const formatted = (value: unknown, format: unknown, language = 'en'): unknown => {
    const moment = momentOf(value, now());
    return moment === undefined ? value : strftime(moment, namedFormats[textOf(format)] ?? textOf(format), language);
  };
  return {
    append_random: (value) => textOf(value) + randomDigits(),
    days_ago: (value, zone = 'Etc/UTC') => {
      const at = now() - Math.trunc(Number(numberOf(value))) * 86_400_000;
      return new Intl.DateTimeFormat('sv-SE', { timeZone: textOf(zone) }).format(at);
    },
    group_by: groupedBy,
    find_by: (value, key, wanted, otherwise = null) =>
      listOf(value).find((item) => equals(fieldOf(item, key), wanted)) ?? otherwise,
    where_exp: whereTrue as Filter,
    markdown_to_html: (value) => marked.parse(textOf(value), { async: false, gfm: false }),
    number_with_delimiter: delimited,
    number_to_currency: money,
    l_word: (value, language = 'en') => wordIn(textOf(language), textOf(value)),
    l_date: (value, format, language = 'en') => formatted(value, format, textOf(language)),
    ordinalize: (value, format) => {
      const moment = momentOf(value, now());
      if (moment === undefined) return value;
      const day = Number(strftime(moment, '%-d'));
      return strftime(moment, textOf(format).replaceAll('<<ordinal_day>>', ordinal(day)));
    },
    map_to_i: (value) => listOf(value).map((item) => Math.trunc(Number(numberOf(item)))),
    parse_json: (value) => readData(textOf(value)),
    sample: (value) => {
      const items = listOf(value);
      return items[Math.floor(Math.random() * items.length)];
    },
    pluralize: counted,
    qr_code: qrCode,
    sky: (value, place, offset = 0) => {
      const moment = momentOf(value, now());
      return moment === undefined ? null : skyOver(moment.ms, textOf(place), Number(numberOf(offset)));
    },
  };
}
