/** Reads JSON from outside, judged before and after parsing. */
import { Refusal, refuse } from '../../reasons/refusals.ts';
import {
  below,
  colon,
  comma,
  endOfText,
  findRepeatedName,
  listEnd,
  listStart,
  objectEnd,
  objectStart,
  quote,
} from './repeated-names.ts';

const deepestLevel = 64;
const maxValues = 100_000;
/** The characters of a field's path that an answer repeats. */
const maxPlaceLength = 200;
const refusedNames = new Set(['__proto__', 'constructor', 'prototype']);
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Returns the value of strict UTF-8 JSON bytes, or throws a refusal. Refused are: more than 64 levels or 100,000
 * values, names that reach a prototype or stand twice in one object, numbers beyond a double, NUL, and halves of a
 * surrogate pair.
 */
export function readJson(bytes: Buffer): { readonly value: unknown } | Refusal {
  const shape = measure(bytes);
  if (shape instanceof Refusal) return shape;
  try {
    const value: unknown = JSON.parse(utf8.decode(bytes));
    // Raw control characters and broken UTF-8 fail above; such text can only have been written as an escape.
    const read = judgeContent(value, bytes.includes('\\u'));
    if (read instanceof Refusal) return read;
    // The parser keeps the last of each name: one is missing exactly when one was written twice.
    if (read.names < shape.names) return refuseAt(findRepeatedName(bytes) ?? '', 'A name stands twice in an object');
    return { value };
  } catch {
    return refuse('invalid-json');
  }
}

/** Judges depth and width on the bytes, because a million nested lists do their harm when they are parsed. */
function measure(bytes: Buffer): { readonly names: number } | Refusal {
  let depth = 0;
  let values = 1;
  let names = 0;
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case quote:
        at = endOfText(bytes, at);
        break;
      case listStart:
      case objectStart:
        values++;
        if (++depth > deepestLevel) return refuse('invalid-json', { message: 'The body is nested too deeply' });
        break;
      case listEnd:
      case objectEnd:
        depth--;
        break;
      case comma:
        if (++values > maxValues) return refuse('invalid-json', { message: 'The body has too many values' });
        break;
      case colon:
        names++;
    }
  }
  return { names };
}

/** Counts the names of the objects, or refuses a value that cannot be stored, with its path: `meta.note`. */
function judgeContent(value: unknown, hasEscapes: boolean): { readonly names: number } | Refusal {
  let names = 0;
  const waiting: { readonly value: unknown; readonly at: string }[] = [{ value, at: '' }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, at } = next;
    if (typeof value === 'number' && !Number.isFinite(value)) return refuseAt(at, 'A number in the body is too large');
    if (typeof value === 'string' && hasEscapes) {
      const problem = whyNotStorable(value);
      if (problem !== undefined) return refuseAt(at, `A text in the body ${problem}`);
    }
    if (typeof value !== 'object' || value === null) continue;
    const entries = Object.entries(value);
    if (!Array.isArray(value)) names += entries.length;
    for (const [name, child] of entries) {
      const problem = hasEscapes ? whyNotStorable(name) : undefined;
      if (problem !== undefined) return refuseAt(at, `A name in the body ${problem}`);
      const place = below(at, name);
      if (refusedNames.has(name)) return refuseAt(place, `The name ${name} is not allowed`);
      waiting.push({ value: child, at: place });
    }
  }
  return { names };
}

function refuseAt(at: string, message: string): Refusal {
  return refuse('invalid-json', { message, ...(at === '' ? {} : { hint: at.slice(0, maxPlaceLength) }) });
}

/** Explains why a text cannot be stored: PostgreSQL refuses NUL, and UTF-8 has no halves of a pair. */
function whyNotStorable(text: string): string | undefined {
  if (text.includes('\0')) return 'holds a NUL';
  return /\p{Surrogate}/u.test(text) ? 'is not valid Unicode' : undefined;
}
