/**
 * Reads the bytes of a feed as text, in the character set that its mark, its header or the bytes themselves show. Lines
 * may be folded between two bytes of one character (RFC 5545, 3.1), so they are joined before.
 */
import { isUtf8 } from 'node:buffer';
import { formOf } from './feed-lines.ts';

const [lineFeed, carriageReturn, space, tab] = [10, 13, 32, 9];

/**
 * Decodes a feed. A mark goes before the header, as in browsers; a header that names no known character set counts as
 * none.
 */
export const decodeFeed = (bytes: Buffer, contentType = ''): string =>
  wideText(bytes) ?? decodeNarrow(withoutFolds(bytes), contentType);

/** Decodes a text by the same rules, whose lines are not folded. */
export const decodeText = (bytes: Buffer, contentType = ''): string =>
  wideText(bytes) ?? decodeNarrow(bytes, contentType);

function decodeNarrow(bytes: Buffer, contentType: string): string {
  const isMarked = bytes.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf]));
  const declared = isMarked ? undefined : declaredDecoder(contentType);
  if (declared !== undefined && declared.encoding !== 'utf-8') return decodedBy(declared, bytes);
  const text = new TextDecoder().decode(bytes);
  if (isUtf8(bytes) || isMarked || isMostlyUtf8(text)) return text;
  const [, named] = /;\s*(CHARSET=[^;:\r\n]+)/i.exec(bytes.toString('latin1')) ?? [];
  return decodedBy(declaredDecoder(`;${named}`) ?? new TextDecoder('windows-1252'), bytes);
}

/** The characters of windows-1252 from 0x80 on, where Latin-1 has control characters; five places are empty. */
const windowsSigns = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

type Decoder = InstanceType<typeof TextDecoder>;

/** Decodes bytes. Some versions of Node read windows-1252 as if it were Latin-1. */
function decodedBy(decoder: Decoder, bytes: Buffer): string {
  const text = decoder.decode(bytes);
  if (decoder.encoding !== 'windows-1252') return text;
  return text.replaceAll(/[\x80-\x9f]/g, (sign) => windowsSigns[sign.charCodeAt(0) - 0x80] ?? sign);
}

/**
 * Decodes UTF-16, known by its mark or by the zero in its first letter. Half a character stays what it is, until the
 * reader joins the lines.
 */
function wideText(bytes: Buffer): string | undefined {
  const form = formOf(bytes);
  if (bytes.length < 2 || form === 'narrow') return undefined;
  const whole = Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2)));
  return (form === 'little' ? whole : whole.swap16()).toString('utf16le');
}

/** Returns the decoder of the first character set of a header that is known, UTF-16 apart, which shows in the bytes. */
function declaredDecoder(contentType: string): Decoder | undefined {
  const named = contentType.slice(0, 1_000).matchAll(/;\s*charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^;,\s]+))/gi);
  for (const [, ...ways] of named) {
    const label = ways.find((way) => way !== undefined) ?? '';
    try {
      const decoder = new TextDecoder(label);
      if (!decoder.encoding.startsWith('utf-16')) return decoder;
    } catch {
      // The next rule decides.
    }
  }
  return undefined;
}

/** Joins folded lines, in one pass: a line end, perhaps with empty lines, before a space or a tab is left out with it. */
function withoutFolds(bytes: Buffer): Buffer {
  const joined = Buffer.allocUnsafe(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    let next = at;
    while (bytes[next] === lineFeed || bytes[next] === carriageReturn) next++;
    const isFold = next > at && (bytes[next] === space || bytes[next] === tab);
    if (!isFold) {
      // Line ends that fold nothing are copied at once, and not looked at again.
      const end = Math.max(next, at + 1);
      length += bytes.copy(joined, length, at, end);
      next = end - 1;
    }
    at = next;
  }
  return joined.subarray(0, length);
}

/**
 * Returns whether the invalid UTF-8 in a text is an accident, such as a description that was cut within a character.
 */
function isMostlyUtf8(text: string): boolean {
  let [broken, sound] = [0, 0];
  for (const [letter] of text.matchAll(/[^\0-\x7f]/gu)) {
    if (letter === '\ufffd') broken++;
    else sound++;
  }
  return sound > broken;
}
