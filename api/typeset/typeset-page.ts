/** Draws a page of our own: its elements become the nodes of Takumi, which are drawn with the fonts that they need. */
import type { Node } from '@takumi-rs/core';
import { fontsFor } from './page-fonts.ts';

/** An element of a page. */
export interface TypesetElement {
  readonly tag: string;
  readonly class?: string;
  readonly dir?: 'ltr' | 'rtl';
  readonly style?: Readonly<Record<string, string | number>>;
  readonly children?: readonly (TypesetElement | string)[];
}

/** A page to be drawn. `width` and `height` are pixels, `rootSize` the pixels of a rem, `language` is a BCP 47 tag. */
export interface TypesetDocument {
  readonly root: TypesetElement;
  readonly css: string;
  readonly language: string;
  readonly width: number;
  readonly height: number;
  readonly rootSize: number;
}

/** A drawn page: sRGB, three bytes a pixel, and the characters that no font has, each once. */
export interface TypesetPage {
  readonly rgb: Uint8Array;
  readonly missing: string;
}

const [bytesOfDrawn, bytesOfPixel] = [4, 3] as const;

/** Draws a page. */
export async function typesetPage(document: TypesetDocument): Promise<TypesetPage> {
  const { root, css, language, width, height, rootSize } = document;
  const { renderer, families, missing } = await fontsFor(textOf(root), language);
  const drawn = await renderer.render(nodeOf(root), {
    width,
    height,
    format: 'raw',
    css: [`:root{font-size:${rootSize}px}`, css],
    lang: language,
    fontFamilies: ['Inter', 'Literata', ...families],
  });
  const rgb = new Uint8Array(width * height * bytesOfPixel);
  for (let from = 0, to = 0; to < rgb.length; from += bytesOfDrawn, to += bytesOfPixel) {
    rgb[to] = drawn[from] as number;
    rgb[to + 1] = drawn[from + 1] as number;
    rgb[to + 2] = drawn[from + 2] as number;
  }
  return { rgb, missing };
}

function nodeOf(element: TypesetElement | string): Node {
  if (typeof element === 'string') return { type: 'text', text: element };
  const { tag, class: className, dir, style, children = [] } = element;
  return {
    type: 'container',
    tagName: tag,
    ...(className !== undefined && { className }),
    ...(dir !== undefined && { dir }),
    ...(style !== undefined && { style }),
    children: children.map(nodeOf),
  };
}

function textOf(element: TypesetElement | string): string {
  return typeof element === 'string' ? element : (element.children ?? []).map(textOf).join('\n');
}
