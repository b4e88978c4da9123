/** A text on paper, set as large as it fits, and a notice in place of content that cannot be shown. */
import { directionOf, isSmall, type PageDocument, type PageFrame, pageDocument, sizeClass } from './document.ts';
import { directionOfText, el, isolated, type PageElement } from './element.ts';

/** The content of a page of text. */
export interface TextFacts {
  readonly title: string | undefined;
  readonly text: string;
  /** A line at the foot that names the author or the source. */
  readonly footer: string | undefined;
}

/** The length in characters at which a longer text is cut, because no panel could show it. No character is halved. */
const maxTextLength = 4_000;

/** Draws a text. Empty lines part paragraphs; lines stay as they are written, each in its own direction. */
export function textPage(frame: PageFrame, { title, text, footer }: TextFacts): PageDocument {
  const characters = Array.from(text);
  const shown = characters.length > maxTextLength ? `${characters.slice(0, maxTextLength).join('')}…` : text;
  const paragraphs = shown
    .replaceAll('\r\n', '\n')
    .trim()
    .split(/\n\s*\n/)
    .map((paragraph) => el('p', {}, ...paragraph.split('\n').map((line) => el('div', directed(line), line))));
  const fit = { kind: 'text', most, least: least(frame) } as const;
  const article = el(isShort(shown) ? 'article.short' : 'article', { fit }, el('div', {}, ...paragraphs));
  const head = title === undefined ? [] : [titleOf(frame, title)];
  const foot = footer === undefined ? [] : [el('footer', {}, isolated(footer, directionOf(frame.language)))];
  const body = el(`main.${sizeClass(frame)}`, {}, ...head, article, ...foot);
  return pageDocument(frame, { body, css });
}

/** A line begins on the side of its own direction; one without letters on that of the page. */
function directed(line: string): Pick<PageElement, 'dir'> {
  const dir = directionOfText(line);
  return dir === undefined ? {} : { dir };
}

function titleOf(frame: PageFrame, title: string): PageElement {
  const size = isSmall(frame) ? 1.15 : 1.7;
  return el('h1', {}, el('div', { ...directed(title), fit: { kind: 'words', size } }, title));
}

/** Text as large as it fits, in rem: no panel is as high. */
const most = 200;
const isShort = (text: string): boolean => text.length < 160;
/** The size of the smallest glyphs of a text, in rem. */
const least = (frame: PageFrame): number => (isSmall(frame) ? 1 : 0.875);

/** Draws a notice with the reason, for a frame that has nothing else to show. */
export function noticePage(
  frame: PageFrame,
  { title, text }: { readonly title: string; readonly text: string },
): PageDocument {
  const fit = { kind: 'text', most: 1.2, least: least(frame) } as const;
  const mark = el('div.mark', {}, '!');
  const content = el('div', {}, mark, el('h1', directed(title), title), el('p', directed(text), text));
  const body = el(`main.${sizeClass(frame)}.notice`, {}, el('article', { fit }, content));
  return pageDocument(frame, { body, css: css + noticeCss });
}

const css = `
main{display:flex;flex-direction:column;width:100%;height:100%;padding:1.9rem 2.4rem 1.7rem}
h1{flex:0 0 auto;font-family:Literata;font-weight:800;font-size:1.7rem;line-height:1.15;padding-bottom:.7rem;
  border-bottom:.16rem solid #000;margin-bottom:1rem}
article{flex:1;min-height:0;overflow:hidden;display:flex;flex-direction:column;justify-content:safe center;
  font-family:Literata;font-weight:600;line-height:1.36;text-wrap:pretty}
.short{text-wrap:balance;line-height:1.15;overflow:visible}
h1 div{display:-webkit-box;-webkit-line-clamp:3;-webkit-box-orient:vertical;overflow:hidden}
article>div{flex:0 0 auto}
article p+p{margin-top:.6em}
footer{flex:0 0 auto;font-size:1rem;font-weight:700;padding-top:.9rem;text-align:end;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
/* Read from further off: capitals of 4 mm at 150 dots an inch. */
.large footer{font-size:1.2rem}
.small{padding:.4rem .5rem}
.small h1 div{-webkit-line-clamp:2}
.small h1{font-size:1.15rem;padding-bottom:.2rem;margin-bottom:.3rem}
.small h1,.small article{font-family:Inter}
.small footer{padding-top:.2rem}
`;

const noticeCss = `
.notice article{font-family:Inter;text-align:center;text-wrap:balance;line-height:1.3}
.notice article>div{max-width:25em;margin:0 auto}
.notice h1{border:0;margin:0;padding:0 0 .4em;font-size:1.65em}
.mark{width:1.5em;height:1.5em;line-height:1.5em;border-radius:50%;background:#000;color:#fff;font-size:2em;font-weight:800;margin:0 auto .4em}
.small h1{font-size:1.2em}
.small .mark{font-size:1.2em;margin-bottom:.2em}
`;
