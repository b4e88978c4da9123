/** Finds a name that JSON text has twice in one object: readers differ in which of the two they take. */

/**
 * The marks that JSON is built of, as code units. They are constants because they are compared with every byte of every
 * body.
 */
export const quote = 0x22;
export const comma = 0x2c;
export const colon = 0x3a;
export const listStart = 0x5b;
export const listEnd = 0x5d;
export const objectStart = 0x7b;
export const objectEnd = 0x7d;
const backslash = 0x5c;

/** An object or a list that is open. `names` are those of an object so far, `item` counts in a list. */
interface Opened {
  readonly at: string;
  readonly names: Set<string>;
  current: string;
  item: number;
}

/** Returns the index of the quote that closes the text opened at `start`; the length of the bytes when none does. */
export function endOfText(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(quote, start + 1); at !== -1; at = bytes.indexOf(quote, at + 1)) {
    let before = at - 1;
    while (bytes[before] === backslash) before--;
    const escaped = (at - 1 - before) % 2 === 1;
    if (!escaped) return at;
  }
  return bytes.length;
}

/**
 * Finds the path of the first name that its object has already, as `meta.note`; undefined when there is none. Names are
 * compared as they read, however they are escaped.
 * @param bytes JSON that a parser has read
 */
export function findRepeatedName(bytes: Buffer): string | undefined {
  const open: Opened[] = [{ at: '', names: new Set(), current: '', item: 0 }];
  let text = { start: 0, end: 0 };
  for (let at = 0; at < bytes.length; at++) {
    const inner = open.at(-1);
    if (inner === undefined) return undefined;
    switch (bytes[at]) {
      case quote: {
        const end = endOfText(bytes, at);
        text = { start: at, end: end + 1 };
        at = end;
        break;
      }
      case colon: {
        const name: string = JSON.parse(bytes.toString('utf8', text.start, text.end));
        inner.current = below(inner.at, name);
        if (inner.names.has(name)) return inner.current;
        inner.names.add(name);
        break;
      }
      case comma:
        inner.current = below(inner.at, String(++inner.item));
        break;
      case objectStart:
        open.push({ at: inner.current, names: new Set(), current: '', item: 0 });
        break;
      case listStart:
        open.push({ at: inner.current, names: new Set(), current: below(inner.current, '0'), item: 0 });
        break;
      case listEnd:
      case objectEnd:
        open.pop();
    }
  }
  return undefined;
}

/** Returns the path of a name or an index below `at`. */
export function below(at: string, name: string): string {
  return at === '' ? name : `${at}.${name}`;
}
