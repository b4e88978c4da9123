/** Values that are set as large as they fit: on one line, or on several within a height. */
import { numberHere } from './ask-screen.ts';

const leastPx = 8;
/** Weights of letters by their sizes: large ones are thin, as those of the classes are. */
const weights: readonly (readonly [fromPx: number, weight: number])[] = [
  [170, 275],
  [128, 300],
  [96, 350],
  [74, 375],
  [58, 400],
  [38, 450],
  [26, 500],
  [20, 600],
  [0, 700],
];

/** Fits the values of a screen that ask for it. */
export function fitValues(screen: HTMLElement): void {
  for (const element of screen.querySelectorAll<HTMLElement>('[data-value-fit="true"], [data-fit-value="true"]')) {
    fitValue(element, numberHere(element, 'data-value-fit-max-height'));
  }
}

function fitValue(element: HTMLElement, maxHeight: number | undefined): void {
  const parent = element.parentElement;
  if (parent === null) return;
  const { fontSize, lineHeight, display } = getComputedStyle(element);
  const wished = Number.parseFloat(fontSize);
  const ratio = Number.parseFloat(lineHeight) / wished || 1.1;
  if (display.startsWith('inline')) element.style.display = 'block';
  element.style.maxWidth = '100%';
  if (maxHeight === undefined) element.style.whiteSpace = 'nowrap';
  const isFitting = (): boolean =>
    element.scrollWidth <= element.clientWidth + 1 &&
    element.offsetWidth <= parent.clientWidth + 1 &&
    (maxHeight === undefined || element.scrollHeight <= maxHeight);
  if (isFitting()) return;
  let [fits, fails] = [leastPx, wished];
  while (fails - fits > 0.5) {
    const middle = (fits + fails) / 2;
    setSize(element, middle, ratio);
    if (isFitting()) fits = middle;
    else fails = middle;
  }
  setSize(element, fits, ratio);
}

function setSize(element: HTMLElement, sizePx: number, ratio: number): void {
  element.style.fontSize = `${sizePx}px`;
  element.style.lineHeight = `${Math.ceil(sizePx * ratio)}px`;
  element.style.fontWeight = String(weights.find(([fromPx]) => sizePx >= fromPx)?.[1]);
}
