/** Texts that are cut after some lines. */
import { numberHere } from './ask-screen.ts';

/** Cuts a text after some lines, with dots where it is cut. */
export function clampTo(element: HTMLElement, lines: number): void {
  const isInline = getComputedStyle(element).display.startsWith('inline');
  Object.assign(element.style, {
    display: isInline ? '-webkit-inline-box' : '-webkit-box',
    webkitBoxOrient: 'vertical',
    webkitLineClamp: String(lines),
    overflow: 'hidden',
    maxWidth: '100%',
    overflowWrap: 'anywhere',
  });
}

/** Cuts the texts of a screen that ask for it by an attribute, or by the class name of older recipes. */
export function clampWords(screen: HTMLElement): void {
  for (const element of screen.querySelectorAll<HTMLElement>('[data-clamp], [class*="clamp--"]')) {
    const named = /(?:^|\s)clamp--(\d+)/.exec(element.className)?.[1];
    const lines = numberHere(element, 'data-clamp') ?? Number(named);
    if (lines > 0) clampTo(element, lines);
  }
}
