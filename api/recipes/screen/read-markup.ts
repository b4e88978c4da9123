/** The markup of a recipe as elements of a page, for recipes that are drawn without a browser. */
import { parseDocument } from 'htmlparser2';
import { escapeHtml } from '../../../runtime/escape-html.ts';
import type { PageChild, PageElement, PageStyle } from '../../pages/element.ts';
import { typesetCss } from './typeset-css.ts';

/** Markup that was read: its elements, and the text of its `style` elements. */
export interface ReadMarkup {
  readonly children: readonly PageChild[];
  readonly css: string;
}

type HtmlNode = ReturnType<typeof parseDocument>['childNodes'][number];
type HtmlElement = Extract<HtmlNode, { readonly attribs: unknown }>;

/** No screen shows more of a text. */
const maxTextLength = 3_000;

/**
 * Reads markup whose elements and attributes are those of `typesetMarkup`; others are read as if they were such.
 * @param density the panel's pixels for each of the recipe
 */
export function readMarkup(markup: string, density: number): ReadMarkup {
  const styles: string[] = [];
  const { childNodes } = parseDocument(markup, {
    lowerCaseTags: false,
    lowerCaseAttributeNames: false,
    withStartIndices: true,
    withEndIndices: true,
  });
  return { children: childNodes.flatMap(childrenOf), css: styles.join('\n') };

  function childrenOf(node: HtmlNode): readonly PageChild[] {
    if (node.type === 'text') return [node.data.replaceAll(/[ \t\r\n\f]+/g, ' ').slice(0, maxTextLength)];
    if (!('attribs' in node)) return [];
    if (node.name !== 'style') return [node.name === 'svg' ? drawing(node) : element(node)];
    styles.push(node.childNodes.map((child) => ('data' in child ? child.data : '')).join(''));
    return [];
  }

  function element(node: HtmlElement): PageElement {
    const { class: names } = node.attribs;
    const style = { ...stylesOf(node.attribs.style ?? ''), ...clamped(Number(node.attribs['data-clamp'])) };
    return {
      tag: node.name,
      ...(names !== undefined && { class: names }),
      style,
      children: boxed(node.childNodes.flatMap(childrenOf)),
    };
  }

  /** A drawing is a picture of its own: it knows neither the classes nor the colours around it. */
  function drawing({ attribs, childNodes }: HtmlElement): PageElement {
    const { class: names, style = '', width, height, ...drawn } = attribs;
    const written = Object.entries({ xmlns: 'http://www.w3.org/2000/svg', ...drawn });
    const attributes = written.map(([name, value]) => ` ${name}="${escapeHtml(value)}"`).join('');
    const inside = markup.slice(childNodes[0]?.startIndex ?? 0, (childNodes.at(-1)?.endIndex ?? -1) + 1);
    const size = `${width === undefined ? '' : `width:${width}px;`}${height === undefined ? '' : `height:${height}px;`}`;
    return {
      tag: 'svg',
      ...(names !== undefined && { class: names }),
      style: stylesOf(size + style),
      svg: `<svg${attributes}>${inside.replaceAll(variable, (_, instead: string) => instead.trim())}</svg>`,
      children: [],
    };
  }

  function stylesOf(declarations: string): PageStyle {
    const written = typesetCss(declarations, density).split(';');
    return Object.fromEntries(
      written.flatMap((declaration) => {
        const [, name, value] = /^\s*([\w-]+)\s*:\s*(\S.*)$/s.exec(declaration) ?? [];
        return name === undefined || value === undefined ? [] : [[inScripts(name), value.trim()]];
      }),
    );
  }
}

/** An element without words is a box all the same: the space in it is that of the template. */
const boxed = (children: readonly PageChild[]): readonly PageChild[] =>
  children.every((child) => child === ' ') ? [] : children;

/** A colour of the page with the one that stands for it. */
const variable = /var\(--[\w-]{1,60},([^()]{0,60})\)/g;

/** Returns the name of a property as scripts write it. */
const inScripts = (name: string): string => name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Returns the look of a text that is cut after some lines (`data-clamp`). */
const clamped = (lines: number): PageStyle =>
  lines > 0
    ? {
        display: '-webkit-box',
        WebkitBoxOrient: 'vertical',
        WebkitLineClamp: lines,
        overflow: 'hidden',
        maxWidth: '100%',
        overflowWrap: 'anywhere',
      }
    : {};
