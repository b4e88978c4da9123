/**
 * Puts a page of our own together: black on white, nothing to load. Paper asks for solid strokes, no gray, no shadows, and
 * sizes that follow the panel.
 */
import type { PanelColour } from '../../firmware-protocol/palettes.ts';
import { type Direction, el, type PageElement } from './element.ts';

/**
 * A page ready to be drawn, in the panel's pixels as a person sees it. `language` is the one by which words are parted
 * that are longer than their line; `rootSize` is the size of a rem in pixels.
 */
export interface PageDocument {
  readonly root: PageElement;
  readonly css: string;
  readonly language: string;
  readonly width: number;
  readonly height: number;
  readonly rootSize: number;
}

/** The panel and the reader that a page is drawn for. `language` is a BCP 47 tag; `colours` are the panel's inks. */
export interface PageFrame {
  readonly width: number;
  readonly height: number;
  readonly language: string;
  readonly colours: readonly PanelColour[];
}

/** Smaller glyphs fall apart without grays at their edges. */
const minRootPx = 12;

/**
 * Returns the size of letters. A larger panel shows more, and is read from a little further off: letters grow slower
 * than the panel.
 */
function rootSizePx({ width, height }: PageFrame): number {
  return Math.max(minRootPx, Math.round(16 * (Math.min(width, height) / 480) ** 0.6));
}

/** Returns whether a panel is too small for anything but the words themselves: layouts then leave out decoration. */
export function isSmall({ width, height }: PageFrame): boolean {
  return Math.min(width, height) < 240;
}

/** Returns the class of a page by its panel's size. */
export function sizeClass(frame: PageFrame): 'small' | 'full' | 'large' {
  if (isSmall(frame)) return 'small';
  return Math.min(frame.width, frame.height) >= 1_000 ? 'large' : 'full';
}

const paper = `
*{margin:0;padding:0;box-sizing:border-box}
html{overflow:hidden;background:#fff;color:#000;font-family:Inter;font-weight:500;line-height:1.3}
html,main,aside,section,article,header,footer,div,p,ul,li,h1,h2,h3{display:block}
`;

/** Puts a page together. */
export function pageDocument(
  frame: PageFrame,
  { body, css }: { readonly body: PageElement; readonly css: string },
): PageDocument {
  const { language, width, height } = frame;
  const rootSize = rootSizePx(frame);
  const root = el('html', { dir: directionOf(language), style: { width, height, fontSize: rootSize } }, body);
  return { root, css: paper + css, language, width, height, rootSize };
}

/** Returns the direction in which a language is written. */
export function directionOf(language: string): Direction {
  interface TextInfo {
    readonly direction: string;
  }
  const locale: Intl.Locale & { textInfo?: TextInfo; getTextInfo?: () => TextInfo } = new Intl.Locale(language);
  return (locale.getTextInfo?.() ?? locale.textInfo)?.direction === 'rtl' ? 'rtl' : 'ltr';
}

/** Returns the language that a page is written in: the paper's, if it is one. */
export function pageLanguage(language: unknown): string {
  if (typeof language !== 'string' || language.length > 35) return 'en';
  try {
    return Intl.getCanonicalLocales(language)[0] ?? 'en';
  } catch {
    return 'en';
  }
}
