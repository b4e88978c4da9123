/**
 * Puts a page of our own together as one HTML document: no script, nothing to load, black on white. Paper asks for
 * solid strokes, no gray, no shadows, and sizes that follow the panel.
 */
import type { PanelColour } from '../../firmware-protocol/palettes.ts';
import { escapeHtml } from '../../runtime/escape-html.ts';
import { type FontFamily, fontFaces } from '../fonts/own-fonts.ts';

/**
 * A page ready to be drawn. `width` and `height` are the panel's pixels as a person sees it; `language` is the one by which
 * words are parted that are longer than their line.
 */
export interface PageDocument {
  readonly html: string;
  readonly language?: string;
  readonly width: number;
  readonly height: number;
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

const paper = `
*{margin:0;padding:0;box-sizing:border-box}
html,body{width:100vw;height:100vh;overflow:hidden;background:#fff;color:#000}
body{font-family:Inter,sans-serif;font-weight:500;line-height:1.3;hyphens:manual;text-rendering:geometricPrecision}
`;

/** Puts a page together. `body` is HTML whose texts went through `escapeHtml`. */
export function pageDocument(
  frame: PageFrame,
  { body, css, fonts }: { readonly body: string; readonly css: string; readonly fonts: readonly FontFamily[] },
): PageDocument {
  const faces = fonts.map((family) => fontFaces(family, body)).join('\n');
  const { language } = frame;
  const html = `<!doctype html><html lang="${escapeHtml(language)}" dir="${directionOf(language)}"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; font-src data:">
<style>${faces}
html{font-size:${rootSizePx(frame)}px}${paper}${css}</style></head><body>${body}</body></html>`;
  return { html, language, width: frame.width, height: frame.height };
}

/** Returns the direction in which a language is written. */
export function directionOf(language: string): 'ltr' | 'rtl' {
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
