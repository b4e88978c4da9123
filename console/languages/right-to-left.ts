/**
 * A language that is made of another, to try the layout from right to left: every letter is written in that direction,
 * and an English text that was left in the code stands out at once.
 */
import type { Catalogue } from '../ground/words.ts';

const override = '\u202e';
const end = '\u202c';

const turned = (text: string): string =>
  text
    .split(/(\{\w+\})/)
    .map((part) => (part.startsWith('{') || part.trim() === '' ? part : `${override}${part}${end}`))
    .join('');

/** Returns the catalogue written from right to left; placeholders keep their places among the words. */
export function rightToLeft(catalogue: Catalogue): Readonly<Record<string, string | Readonly<Record<string, string>>>> {
  return Object.fromEntries(
    Object.entries(catalogue).map(([key, text]) => [
      key,
      typeof text === 'string'
        ? turned(text)
        : Object.fromEntries(Object.entries(text).map(([category, one]) => [category, turned(one)])),
    ]),
  );
}
