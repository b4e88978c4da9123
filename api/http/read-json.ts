/** JSON from outside, judged before and after parsing: T-18, T-34, F13. */
import { type Refusal, refuse } from '../../gateway/runtime/refusals.ts';

const deepestLevel = 64;
const mostValues = 100_000;
/** Characters of a field's place that an answer repeats. */
const longestPlace = 200;
const refusedNames = new Set(['__proto__', 'constructor', 'prototype']);
const utf8 = new TextDecoder('utf-8', { fatal: true });

const quote = 0x22;
const backslash = 0x5c;

/**
 * The value that strict UTF-8 JSON bytes stand for, or a refusal. Refused are: more than 64 levels or 100,000 values,
 * names that reach a prototype, numbers beyond a double, NUL, and halves of a surrogate pair.
 */
export function readJson(bytes: Buffer): { readonly value: unknown } | Refusal {
  const shape = refuseShape(bytes);
  if (shape !== undefined) return shape;
  try {
    const value: unknown = JSON.parse(utf8.decode(bytes));
    // Raw control characters and broken UTF-8 fail above; such text can only have been written as an escape.
    const problem = refuseContent(value, bytes.includes('\\u'));
    return problem ?? { value };
  } catch {
    return refuse('invalid-json');
  }
}

/** Depth and width are judged on the bytes: a parsed million of nested lists has done its harm already. */
function refuseShape(bytes: Buffer): Refusal | undefined {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case quote:
        at = endOfText(bytes, at);
        break;
      case 0x5b: // [
      case 0x7b: // {
        values++;
        if (++depth > deepestLevel) return refuse('invalid-json', { message: 'The body is nested too deeply' });
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
        break;
      case 0x2c: // ,
        if (++values > mostValues) return refuse('invalid-json', { message: 'The body has too many values' });
    }
  }
  return undefined;
}

/** Index of the quote that closes the text opened at `start`; the last byte when none does. */
function endOfText(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(quote, start + 1); at !== -1; at = bytes.indexOf(quote, at + 1)) {
    let before = at - 1;
    while (bytes[before] === backslash) before--;
    const escaped = (at - 1 - before) % 2 === 1;
    if (!escaped) return at;
  }
  return bytes.length;
}

/** What cannot be kept, with the place of it: `meta.note`. */
function refuseContent(value: unknown, hasEscapes: boolean): Refusal | undefined {
  const waiting: { readonly value: unknown; readonly at: string }[] = [{ value, at: '' }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, at } = next;
    if (typeof value === 'number' && !Number.isFinite(value)) return refuseAt(at, 'A number in the body is too large');
    if (typeof value === 'string' && hasEscapes && !isStorable(value)) {
      return refuseAt(at, 'A text in the body is not valid Unicode');
    }
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, child] of Object.entries(value)) {
      if (hasEscapes && !isStorable(name)) return refuseAt(at, 'A name in the body is not valid Unicode');
      const below = at === '' ? name : `${at}.${name}`;
      if (refusedNames.has(name)) return refuseAt(below, `The name ${name} is not allowed`);
      waiting.push({ value: child, at: below });
    }
  }
  return undefined;
}

function refuseAt(at: string, message: string): Refusal {
  return refuse('invalid-json', { message, ...(at === '' ? {} : { hint: at.slice(0, longestPlace) }) });
}

/** Both databases keep it as it is: PostgreSQL refuses NUL, and UTF-8 has no halves of a pair. */
function isStorable(text: string): boolean {
  return !/\p{Surrogate}|\0/u.test(text);
}
