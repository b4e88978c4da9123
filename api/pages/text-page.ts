/** A text on paper, set as large as it fits; and a notice, in place of what cannot be shown. */
import { escapeHtml, type PageDocument, type PageFrame, pageDocument } from './document.ts';

/** What a page of text says. */
export interface TextFacts {
  readonly title: string | undefined;
  readonly text: string;
  /** A line at the foot: who said it, or where it is from. */
  readonly footer: string | undefined;
}

/** A longer text is cut: no panel could show it. */
const longestText = 4_000;

/** Draws a text. Empty lines part paragraphs; lines stay as they are written. */
export function textPage(frame: PageFrame, { title, text, footer }: TextFacts): PageDocument {
  const shown = text.length > longestText ? `${text.slice(0, longestText)}…` : text;
  const paragraphs = shown
    .replaceAll('\r\n', '\n')
    .trim()
    .split(/\n\s*\n/)
    .map(
      (paragraph) =>
        `<p>${paragraph
          .split('\n')
          .map((line) => `<span>${escapeHtml(line)}</span>`)
          .join('')}</p>`,
    );
  const body = `<main>${title === undefined ? '' : `<h1>${escapeHtml(title)}</h1>`}
<article${isShort(shown) ? ' class="short"' : ''} data-fit="${isShort(shown) ? 5.2 : 2.6},0.875"><div>${paragraphs.join('')}</div></article>
${footer === undefined ? '' : `<footer>${escapeHtml(footer)}</footer>`}</main>`;
  return pageDocument(frame, { body, css, fonts: ['Literata', 'Inter'] });
}

const isShort = (text: string): boolean => text.length < 160;

/** Draws what is the matter, for a frame that has nothing else to show. */
export function noticePage(
  frame: PageFrame,
  { title, text }: { readonly title: string; readonly text: string },
): PageDocument {
  const body = `<main class="notice"><div class="mark">!</div><h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p></main>`;
  return pageDocument(frame, { body, css: css + noticeCss, fonts: ['Literata', 'Inter'] });
}

const css = `
main{display:flex;flex-direction:column;width:100vw;height:100vh;padding:1.9rem 2.4rem 1.7rem}
h1{font-family:Literata,serif;font-weight:800;font-size:1.7rem;line-height:1.15;padding-bottom:.7rem;
  border-bottom:.16rem solid #000;margin-bottom:1rem;display:-webkit-box;-webkit-line-clamp:2;-webkit-box-orient:vertical;overflow:hidden}
article{flex:1;min-height:0;overflow:hidden;display:flex;flex-direction:column;justify-content:center;
  font-family:Literata,serif;font-weight:600;line-height:1.36;text-wrap:pretty}
.short{text-wrap:balance;line-height:1.25}
article span{display:block}
article p+p{margin-top:.6em}
footer{font-size:1rem;font-weight:700;padding-top:.9rem;text-align:right;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
`;

const noticeCss = `
.notice{align-items:center;justify-content:center;text-align:center;text-wrap:balance}
.notice h1{border:0;margin:0;padding:0 0 .5rem;font-size:2rem}
.notice p{font-size:1.2rem;font-weight:600;max-width:30rem}
.mark{width:3.6rem;height:3.6rem;line-height:3.6rem;border-radius:50%;background:#000;color:#fff;
  font-size:2.4rem;font-weight:800;margin-bottom:1.2rem}
`;
