/** Building blocks of reports: facts, tables, what is folded, texts as they came, and pictures. */
import { type Content, Html, html } from './html.ts';

/** A column of a table. */
export interface ReportColumn {
  readonly title: string;
  /** Whether its cells are numbers, which are read from their end. */
  readonly isNumber?: boolean;
}

/** A paragraph. */
export function paragraph(...content: readonly Content[]): Html {
  return html`<p>${content}</p>`;
}

/** Names with a value each, one per line. Those without a value are left out. */
export function facts(rows: readonly (readonly [name: string, value: Content])[]): Html {
  const known = rows.filter(([, value]) => value !== undefined);
  return html`<dl>${known.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

/**
 * A table under its heads. The first cell of a row names the row. On a phone each row becomes a block, in which the
 * heads stand before their cells.
 */
export function table(
  columns: readonly (string | ReportColumn)[],
  rows: readonly (readonly Content[])[],
  caption?: string,
): Html {
  const heads = columns.map((column) => (typeof column === 'string' ? { title: column } : column));
  const styleOf = (at: number): Html => new Html(heads[at]?.isNumber === true ? ' class="number"' : '');
  const row = (cells: readonly Content[]): Html =>
    html`<tr>${cells.map((cell, at) =>
      at === 0
        ? html`<th scope="row"${styleOf(at)}>${cell}</th>`
        : html`<td data-label="${heads[at]?.title ?? ''}"${styleOf(at)}>${cell}</td>`,
    )}</tr>\n`;
  return html`<table>${caption === undefined ? undefined : html`<caption>${caption}</caption>`}
<thead><tr>${heads.map(({ title }, at) => html`<th scope="col"${styleOf(at)}>${title}</th>`)}</tr></thead>
<tbody>
${rows.map(row)}</tbody></table>\n`;
}

/** Something that opens when its summary is pressed, and lies open on paper. */
export function folded(summary: Content, content: Content, isOpen = false): Html {
  return html`<details${isOpen ? new Html(' open') : undefined}><summary>${summary}</summary>${content}</details>\n`;
}

/** A word, an address or a message as it came, among other words. */
export function literal(text: string): Html {
  return html`<code>${text}</code>`;
}

/** Lines as they came, or a command to type. */
export function preformatted(text: string): Html {
  return html`<pre>${text}</pre>`;
}

/** Words that matter less. */
export function aside(...content: readonly Content[]): Html {
  return html`<small>${content}</small>`;
}

/** A picture within the file, with what it shows. */
export function picture(png: Uint8Array, caption: string): Html {
  const data = Buffer.from(png.buffer, png.byteOffset, png.byteLength).toString('base64');
  return html`<figure><img alt="${caption}" src="data:image/png;base64,${data}"><figcaption>${caption}</figcaption></figure>\n`;
}

/** Several pictures side by side, as many as there is room for. */
export function pictures(all: readonly { readonly png: Uint8Array; readonly caption: string }[]): Html {
  return html`<div class="pictures">${all.map(({ png, caption }) => picture(png, caption))}</div>\n`;
}
