/** Elements of a page that a person named. Each function is sent to the page as text, so it names no other function. */

/** Whether a selector finds something; `invalid` is none. */
export type Found = 'found' | 'none' | 'invalid';

export function findElement(selector: string): Found {
  try {
    return document.querySelector(selector) === null ? 'none' : 'found';
  } catch {
    return 'invalid';
  }
}

/** Clicks on what a selector finds. */
export function clickElement(selector: string): Found {
  try {
    const element = document.querySelector(selector);
    if (element === null) return 'none';
    if (element instanceof HTMLElement) element.click();
    else element.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
    return 'found';
  } catch {
    return 'invalid';
  }
}

/** Brings an element into the window, so that it loads what it loads when it is seen, and takes away what may lie over it. */
export function uncover(selector: string): void {
  const element = document.querySelector(selector);
  for (const other of document.querySelectorAll<HTMLElement>('body *')) {
    const isOver = ['fixed', 'sticky'].includes(getComputedStyle(other).position);
    if (isOver && !other.contains(element) && element?.contains(other) !== true)
      other.style.setProperty('visibility', 'hidden', 'important');
  }
  element?.scrollIntoView({ block: 'start', inline: 'start', behavior: 'instant' });
}

/** The place of an element on its page, in pixels, and the colour that it lies on. */
export interface ElementBox {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly colour: string;
}

/** Returns the place of an element; null for one that is gone or takes no room. */
export function boxOf(selector: string): ElementBox | null {
  const element = document.querySelector(selector);
  if (element === null) return null;
  const { left, top, width, height } = element.getBoundingClientRect();
  if (width < 1 || height < 1) return null;
  let colour = '';
  for (let at: Element | null = element; at !== null && colour === ''; at = at.parentElement) {
    const { backgroundColor } = getComputedStyle(at);
    if (/^rgb\(/.test(backgroundColor)) colour = backgroundColor;
  }
  const x = Math.max(0, left + scrollX);
  const y = Math.max(0, top + scrollY);
  return { x, y, width, height, colour: colour || '#ffffff' };
}
