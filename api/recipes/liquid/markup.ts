/**
 * Makes markup that was written for Liquid in Ruby readable for the engine here, which reads the same language more
 * strictly. Only what is inside of tags and outputs is changed.
 */

const quoted = /"[^"]*"|'[^']*'/g;

/** Changes what is outside of quotation marks. */
function outsideQuotes(code: string, change: (plain: string) => string): string {
  return code.replaceAll(
    /("[^"]*"|'[^']*')|([^"']+)/g,
    (_, inside: string | undefined, plain: string | undefined) => inside ?? change(plain ?? ''),
  );
}

/** RC-31: a literal with a fraction of nought keeps it. RC-42: the other way to write "not equal". */
const plainCode = (code: string): string =>
  outsideQuotes(code, (plain) =>
    plain.replaceAll('<>', '!=').replaceAll(/(?<![\w.])(-?\d+\.0+)(?![\w.])/g, '("$1" | to_float)'),
  );

/** RC-36: outputs inside of arguments are their values, and filters of arguments are ignored. */
const plainRender = (tag: string): string =>
  outsideQuotes(tag, (plain) => plain.replaceAll(/\{\{-?|-?\}\}/g, ' ').replaceAll(/\|[^,%]*/g, ' '));

/** The word `reversed` counts in front of the other parameters alone. */
const plainFor = (tag: string): string =>
  tag.replace(/^(\{%-?\s*for\b.*?\b(?:limit|offset)\s*:.*?)\breversed\b/s, '$1');

/** RC-44: an empty output prints nothing. RC-45: so does one whose quotation marks do not end. */
const printsNothing = (output: string): boolean =>
  /^\{\{-?\s*-?\}\}$/.test(output) || /["']/.test(output.replaceAll(quoted, ''));

/** RC-45: an assignment whose quotation marks do not end takes the first text that does, without filters. */
function plainAssign(tag: string): string {
  if (!/["']/.test(tag.replaceAll(quoted, ''))) return plainCode(tag);
  const [, beginning] = /^(\{%-?\s*assign\s+[\w.-]+\s*=\s*(?:"[^"]*"|'[^']*'))/.exec(tag) ?? [];
  return beginning === undefined ? '' : `${beginning} %}`;
}

function plainPiece(piece: string, tag: string | undefined): string {
  if (piece.startsWith('{{')) return printsNothing(piece) ? '' : plainCode(piece);
  if (tag === 'render' || tag === 'include') return plainCode(plainRender(piece));
  if (tag === 'assign') return plainAssign(piece);
  return plainCode(tag === 'for' ? plainFor(piece) : piece);
}

/** The ends of blocks whose inside is not read. */
const ends: Readonly<Record<string, RegExp>> = {
  raw: /\{%-?\s*endraw\s*-?%\}/g,
  comment: /\{%-?\s*endcomment\s*-?%\}/g,
};

/** Returns the markup as the engine reads it: its outputs and tags are changed, each to its first end. */
export function plainMarkup(markup: string): string {
  let plain = '';
  let at = 0;
  for (;;) {
    const begin = markup.slice(at).search(/\{[{%]/);
    if (begin < 0) return plain + markup.slice(at);
    const [from, close] = [at + begin, markup[at + begin + 1] === '{' ? '}}' : '%}'];
    const end = markup.indexOf(close, from + 2);
    if (end < 0) return plain + markup.slice(at);
    const piece = markup.slice(from, end + 2);
    const tag = /^\{%-?\s*(\w+)/.exec(piece)?.[1];
    const unread = ends[tag ?? ''];
    plain += markup.slice(at, from) + (unread === undefined ? plainPiece(piece, tag) : piece);
    at = end + 2;
    if (unread !== undefined) {
      const after = endBehind(markup, unread, at);
      plain += markup.slice(at, after);
      at = after;
    }
  }
}

/** The place behind the end of a block; that of the whole markup where the block has none. */
function endBehind(markup: string, end: RegExp, from: number): number {
  end.lastIndex = from;
  const found = end.exec(markup);
  return found === null ? markup.length : found.index + found[0].length;
}
