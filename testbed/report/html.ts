/** HTML of a report, put together so that nobody can forget to escape: a text becomes a text, whatever is written in it. */
import { escapeHtml } from '../../runtime/escape-html.ts';
import { plainLines } from '../../runtime/plain-lines.ts';

/** A piece of HTML. Only `html` makes one. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

/** The content of a report: a text, which is escaped, a number, HTML, several of them, or nothing. */
export type Content = string | number | Html | undefined | readonly Content[];

/**
 * Puts a piece of HTML together: html`<p>${text}</p>`. What is filled in is escaped unless it is `Html`; signs that
 * steer or reverse a line become spaces.
 */
export function html(parts: TemplateStringsArray, ...filled: readonly Content[]): Html {
  return new Html(parts.reduce((whole, part, at) => whole + markupOf(filled[at - 1]) + part));
}

function markupOf(content: Content): string {
  if (content === undefined) return '';
  if (content instanceof Html) return content.markup;
  if (typeof content === 'object') return content.map(markupOf).join('');
  return escapeHtml(plainLines(String(content)));
}
