/** Filters of texts (RC-40, RC-41). */
import { type Filter, wholeOf } from './filter.ts';
import { filteredText } from './values.ts';

function sliced(value: unknown, from: unknown, length: unknown = 1): unknown {
  const parts: readonly unknown[] = Array.isArray(value) ? value : [...filteredText(value)];
  const [begin, count] = [wholeOf(from), wholeOf(length)];
  const start = begin < 0 ? parts.length + begin : begin;
  const taken = start < 0 || count < 0 ? [] : parts.slice(start, start + count);
  return Array.isArray(value) ? taken : taken.join('');
}

/** A single blank divides at any white space, and drops what is empty in front (RC-40). */
function splitText(value: unknown, pattern: unknown): string[] {
  const [text, by] = [filteredText(value), filteredText(pattern)];
  const parts = by === ' ' ? text.trim().split(/\s+/) : by === '' ? [...text] : text.split(by);
  while (parts.at(-1) === '') parts.pop();
  return parts;
}

function shortened(value: unknown, length: unknown = 50, ending: unknown = '...'): unknown {
  if (value === null || value === undefined) return value;
  const [letters, end] = [[...filteredText(value)], [...filteredText(ending)]];
  const most = wholeOf(length);
  return letters.length > most
    ? [...letters.slice(0, Math.max(0, most - end.length)), ...end].join('')
    : letters.join('');
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (value: unknown): unknown =>
  (value ?? null) === null ? value : filteredText(value).replaceAll(/[&<>"']/g, (letter) => escapes[letter] ?? letter);

const capitalized = (value: unknown): string => {
  const [first = '', ...others] = [...filteredText(value)];
  return first.toUpperCase() + others.join('').toLowerCase();
};

function replacedLast(value: unknown, part: unknown, by: unknown): string {
  const [text, sought] = [filteredText(value), filteredText(part)];
  const at = text.lastIndexOf(sought);
  return at < 0 ? text : text.slice(0, at) + filteredText(by) + text.slice(at + sought.length);
}

const replacedFirst = (value: unknown, part: unknown, by: unknown = ''): string =>
  filteredText(value).replace(filteredText(part), () => filteredText(by));
const replacedAll = (value: unknown, part: unknown, by: unknown = ''): string =>
  filteredText(value).replaceAll(filteredText(part), filteredText(by).replaceAll('$', '$$$$'));

function wordsOf(value: unknown, count: unknown = 15, ending: unknown = '...'): unknown {
  if (value === null || value === undefined) return value;
  const most = Math.max(1, wholeOf(count));
  const words = filteredText(value).trim().split(/\s+/);
  return words.length <= most ? filteredText(value) : words.slice(0, most).join(' ') + filteredText(ending);
}

const unlessNothing =
  (work: (text: string) => string): Filter =>
  (value) =>
    value === null || value === undefined ? value : work(filteredText(value));

/** The filters of texts. */
export const textFilters: Readonly<Record<string, Filter>> = {
  slice: sliced,
  split: splitText,
  truncate: shortened,
  truncatewords: wordsOf,
  escape: escaped,
  h: escaped,
  escape_once: (value) =>
    filteredText(value).replaceAll(/["><']|&(?!(?:[a-zA-Z]+|#\d+);)/g, (letter) => escapes[letter] ?? letter),
  capitalize: capitalized,
  upcase: (value) => filteredText(value).toUpperCase(),
  downcase: (value) => filteredText(value).toLowerCase(),
  append: (value, more) => filteredText(value) + filteredText(more),
  prepend: (value, more) => filteredText(more) + filteredText(value),
  replace: replacedAll,
  replace_first: replacedFirst,
  replace_last: replacedLast,
  remove: (value, part) => replacedAll(value, part),
  remove_first: (value, part) => replacedFirst(value, part),
  remove_last: (value, part) => replacedLast(value, part, ''),
  newline_to_br: (value) => filteredText(value).replaceAll(/\r?\n/g, '<br />\n'),
  strip_html: (value) =>
    withoutTags(
      filteredText(value).replaceAll(/<script[\s\S]*?<\/script>|<!--[\s\S]*?-->|<style[\s\S]*?<\/style>/g, ''),
    ),
  url_encode: unlessNothing((text) =>
    encodeURIComponent(text)
      .replaceAll('%20', '+')
      .replaceAll(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`),
  ),
};

/** A sign that opens a tag and is never closed stays. */
function withoutTags(text: string): string {
  let plain = '';
  let at = 0;
  for (;;) {
    const begin = text.indexOf('<', at);
    const end = begin < 0 ? -1 : text.indexOf('>', begin);
    if (end < 0) return plain + text.slice(at);
    plain += text.slice(at, begin);
    at = end + 1;
  }
}
