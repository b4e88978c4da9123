/**
 * Takes one very long text out of JSON before it is parsed: as bytes it takes a third of the memory that it takes as
 * text.
 */
import { colon, quote } from './repeated-names.ts';

const backslash = 0x5c;
const blanks = new Set([0x20, 0x09, 0x0a, 0x0d]);
/** Shorter texts are parsed with everything else. */
const shortestBytes = 256 * 1024;

/** The mark in the place of the text: it is not Base64, and nothing that anybody would store. */
export const cutMark = '#';

/** JSON without the text, and the text. */
export interface Cut {
  readonly rest: Buffer;
  readonly text: Buffer;
}

/**
 * Cuts out the first long text of this name. A text that holds escapes is left where it is, for the parser.
 * @returns undefined when there is no such text
 */
export function cutText(json: Buffer, name: string): Cut | undefined {
  // Within a text its quotes would be escaped: a match is a name, or a text that no colon follows.
  const key = Buffer.from(`"${name}"`);
  for (let at = json.indexOf(key); at !== -1; at = json.indexOf(key, at + key.length)) {
    const afterName = skipBlanks(json, at + key.length);
    if (json[afterName] !== colon) continue;
    const opening = skipBlanks(json, afterName + 1);
    if (json[opening] !== quote) continue;
    const closing = json.indexOf(quote, opening + 1);
    if (closing - opening < shortestBytes) continue;
    const text = json.subarray(opening + 1, closing);
    if (text.includes(backslash)) return undefined;
    return { rest: Buffer.concat([json.subarray(0, opening + 1), Buffer.from(cutMark), json.subarray(closing)]), text };
  }
  return undefined;
}

function skipBlanks(json: Buffer, from: number): number {
  let at = from;
  while (blanks.has(json[at] ?? -1)) at++;
  return at;
}
