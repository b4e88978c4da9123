/**
 * Elements of a page that a person named, and forms to sign in. Each function is sent to the page as text, so it names no
 * other function. Selectors are tried in every open shadow tree as well: whole applications stand in them.
 */

/**
 * Returns the first element that a selector finds, trees within trees after those around them; `invalid` for an invalid
 * selector.
 */
export function findElement(selector: string): Element | null | 'invalid' {
  const trees: (Document | ShadowRoot)[] = [document];
  try {
    for (const tree of trees) {
      const found = tree.querySelector(selector);
      if (found !== null) return found;
      for (const { shadowRoot } of tree.querySelectorAll('*')) if (shadowRoot !== null) trees.push(shadowRoot);
    }
    return null;
  } catch {
    return 'invalid';
  }
}

/** Clicks on an element. */
export function clickElement(element: Element): void {
  if (element instanceof HTMLElement) element.click();
  else element.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, composed: true }));
}

/**
 * Brings an element into the window, so that it loads whatever it loads once it is seen, and removes elements that may
 * cover it.
 */
export function uncover(element: Element): void {
  const around = new Set<Node>();
  for (let at: Node | null = element; at !== null; at = at.parentNode ?? ('host' in at ? (at.host as Node) : null)) {
    around.add(at);
  }
  const trees: (Document | ShadowRoot)[] = [document];
  for (const tree of trees) {
    for (const other of tree.querySelectorAll<HTMLElement>('*')) {
      // Everything within the element, its own tree included, is a part of its picture.
      if (element.contains(other)) continue;
      if (other.shadowRoot !== null) trees.push(other.shadowRoot);
      const isOver = ['fixed', 'sticky'].includes(getComputedStyle(other).position);
      if (isOver && !around.has(other)) other.style.setProperty('visibility', 'hidden', 'important');
    }
  }
  element.scrollIntoView({ block: 'start', inline: 'start', behavior: 'instant' });
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
export function boxOf(element: Element): ElementBox | null {
  const { left, top, width, height } = element.getBoundingClientRect();
  if (width < 1 || height < 1) return null;
  let colour = '';
  for (let at: Node | null = element; at !== null && colour === ''; ) {
    if (at instanceof Element) {
      const { backgroundColor } = getComputedStyle(at);
      if (/^rgb\(/.test(backgroundColor)) colour = backgroundColor;
    }
    at = at.parentNode ?? ('host' in at ? (at.host as Node) : null);
  }
  const x = Math.max(0, left + scrollX);
  const y = Math.max(0, top + scrollY);
  return { x, y, width, height, colour: colour || '#ffffff' };
}

/** Returns whether a field for a password, or for a name to sign in by, can be seen within the window. */
export function asksToSignIn(): boolean {
  const fields = 'input[type=password], input[autocomplete~=current-password], input[autocomplete~=username]';
  const trees: (Document | ShadowRoot)[] = [document];
  for (const tree of trees) {
    for (const field of tree.querySelectorAll(fields)) {
      const { top, left, bottom, right, width } = field.getBoundingClientRect();
      const isWithin = width > 1 && bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
      if (isWithin && field.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return true;
    }
    for (const { shadowRoot } of tree.querySelectorAll('*')) if (shadowRoot !== null) trees.push(shadowRoot);
  }
  return false;
}
