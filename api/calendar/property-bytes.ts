/** Reads properties that declare the encoding of their own bytes: quoted-printable, base64, and a character set. */

const encodedAs = /^[^:]*;[ \t]*(?:ENCODING=)?"?(QUOTED-PRINTABLE|BASE64|B)"?(?=[;:])/i;

/** The characters of a line among which its parameters are looked for. */
const maxParameters = 1_000;

/** Returns how the value of a line is written; undefined for most, which are plain. */
function encodingOf(line: string) {
  const name = encodedAs.exec(line)?.[1]?.toUpperCase();
  return name === 'B' ? 'BASE64' : name;
}

/** Returns whether a line is quoted-printable: where a `=` is at its end, it goes on in the next one. */
export function isQuotedPrintable(line: string) {
  return encodingOf(line.slice(0, maxParameters)) === 'QUOTED-PRINTABLE';
}

/** Returns whether a line goes on after a `=`: the end of its component does not, whatever its writer left. */
export const isContinuation = (line: string) => !/^(?:BEGIN|END):V[A-Z]+\s*$/i.test(line);

/**
 * Decodes the value of a line as its parameters declare.
 * @param params as they are written, such as `;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8`
 */
export function plainValue(params: string, value: string) {
  const encoding = params === '' ? undefined : encodingOf(`${params}:`);
  if (encoding === undefined) return value;
  const charset = /;[ \t]*CHARSET="?([^";:]{1,40})/i.exec(params)?.[1];
  if (encoding === 'BASE64') return decoded(Buffer.from(value, 'base64'), charset);
  const soft = value.replace(/=[ \t]*[\r\n]+/g, '').replace(/=$/, '');
  // The unquoted rest is in the character set of the feed, and is decoded already.
  return soft.replace(/(?:=[0-9a-f]{2})+/gi, (quoted) =>
    decoded(Buffer.from(quoted.replaceAll('=', ''), 'hex'), charset),
  );
}

/** Decodes bytes. An unknown character set, and bytes that are not valid in theirs, count as UTF-8 or Western European. */
function decoded(bytes: Buffer, charset = 'utf-8') {
  for (const label of [charset, 'utf-8']) {
    try {
      return new TextDecoder(label, { fatal: true }).decode(bytes);
    } catch {
      // The next one is tried.
    }
  }
  return new TextDecoder('windows-1252').decode(bytes);
}
