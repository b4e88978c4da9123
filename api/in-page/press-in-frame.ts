/**
 * Takes a cookie banner away. Each function runs inside a frame, as text: it names no other function, and none inside.
 */

/** Patterns of banners, without flags: of their subject and of the words on their buttons, in the order of pressing. */
export interface BannerWords {
  readonly subject: string;
  readonly buttons: readonly string[];
  /** Words of buttons that lead elsewhere. */
  readonly others: string;
}

/**
 * Returns whether something within the picture may be a banner: it is laid over the page, or stands in it as a text of
 * its own, and mentions the subject. A frame laid over the page always counts, since its text cannot be read.
 */
export function mayHaveBanner({ subject }: { subject: string }): boolean {
  const talks = new RegExp(subject, 'iu');
  const seen = new Set<Element>();
  for (let row = 0; row < 8; row++) {
    for (let column = 0; column < 8; column++) {
      const [x, y] = [(innerWidth * (column + 0.5)) / 8, (innerHeight * (row + 0.5)) / 8];
      for (let at = document.elementFromPoint(x, y); at !== null && !seen.has(at); at = at.parentElement) {
        seen.add(at);
        if (at === document.body || at === document.documentElement) break;
        const { position } = getComputedStyle(at);
        const isOver =
          position === 'fixed' ||
          position === 'sticky' ||
          at.matches('dialog, [role=dialog], [role=alertdialog], [aria-modal=true]');
        if (isOver && (at.localName === 'iframe' || at.querySelector('iframe') !== null)) return true;
        // Parts of a shadow tree laid over the page are not examined here, and a closed one cannot be read.
        if (at.shadowRoot !== null || (at.localName.includes('-') && at.textContent?.trim() === '')) return true;
        if ((isOver || (at.textContent ?? '').length < 1_500) && talks.test(at.textContent ?? '')) return true;
      }
    }
  }
  return false;
}

/** A candidate for a button of a banner. */
interface BannerButton {
  readonly element: HTMLElement;
  readonly text: string;
  /** The likeness to a button: 0 for what looks like one, up to 2 for what may only be a word of a sentence. */
  readonly rank: number;
  readonly banner: HTMLElement;
}

/**
 * Finds possible buttons of a banner: elements with little text that are visible, within something that is laid over
 * the page, or has a frame to itself, and mentions the subject.
 * @param asked with the name by which the page keeps its closed shadow trees
 */
export function findButtons(asked: { subject: string; watchedName: string }): BannerButton[] {
  const closed: Map<Element, ShadowRoot> =
    Reflect.get(window, Symbol.for(asked.watchedName))?.closedTrees ?? new Map<Element, ShadowRoot>();
  const talks = new RegExp(asked.subject, 'iu');
  const roots: (Document | ShadowRoot)[] = [document];
  for (const root of roots) {
    for (const element of root.querySelectorAll('*')) {
      const inside = element.shadowRoot ?? closed.get(element);
      if (inside) roots.push(inside);
    }
  }
  const kinds = 'button, a, summary, [role=button], [role=link], input[type=button], input[type=submit]';
  const found: BannerButton[] = [];
  for (const root of roots) {
    for (const element of root.querySelectorAll<HTMLElement>(
      `${kinds}, [onclick], div, span, label, p, b, strong, li`,
    )) {
      const given = element instanceof HTMLInputElement ? element.value : (element.textContent ?? '');
      if (given.length > 200) continue;
      const text = given
        .replace(/[^\p{L}\p{M}\p{N}'’]+/gu, ' ')
        .trim()
        .toLowerCase();
      if (text === '' || text.length > 60 || !element.checkVisibility({ visibilityProperty: true })) continue;
      let banner: HTMLElement | undefined;
      for (let at: Element | null = element; at !== null; ) {
        const isOver =
          ['fixed', 'sticky'].includes(getComputedStyle(at).position) ||
          at.matches('dialog, [role=dialog], [role=alertdialog], [aria-modal=true]') ||
          (window !== window.top && at === document.body);
        const inside = at.shadowRoot ?? closed.get(at);
        const says = `${at.textContent ?? ''} ${inside?.textContent ?? ''}`;
        // Some applications lay all that they have over an empty page, and talk of many things there.
        if (isOver && says.length < 6_000 && talks.test(says)) banner ??= at as HTMLElement;
        const root: Node = at.getRootNode();
        at = at.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
      }
      if (banner === undefined) continue;
      const isPointed = getComputedStyle(element).cursor === 'pointer' || element.hasAttribute('onclick');
      found.push({ element, text, rank: element.matches(kinds) ? 0 : isPointed ? 1 : 2, banner });
    }
  }
  return found;
}

/**
 * Presses the buttons that contain the words and little else, until a press helps: one whose button stays did not.
 * @returns whether one was pressed
 */
export async function pressButtons(found: readonly BannerButton[], asked: BannerWords): Promise<boolean> {
  const others = new RegExp(asked.others, 'iu');
  let isPressed = false;
  let tries = 6;
  for (const button of asked.buttons) {
    const says = new RegExp(button, 'iu');
    for (const rank of [0, 1, 2]) {
      for (const { element, ...known } of found) {
        if (known.rank !== rank || !says.test(known.text) || others.test(known.text)) continue;
        // The innermost of several with the same text.
        if (rank > 0 && found.some((one) => one.rank === rank && one.element.parentElement === element)) continue;
        if (--tries < 0) break;
        element.click();
        isPressed = true;
        for (let wait = 0; wait < 5; wait++) {
          await new Promise((resolve) => setTimeout(resolve, 100));
          if (!element.isConnected || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
            return true;
        }
      }
    }
  }
  return isPressed;
}

/** Hides the banners that are still there, if they are only a part of the page. @returns whether there was one */
export function hideBanners(found: readonly BannerButton[]): boolean {
  const banners = new Set(found.map(({ banner }) => banner));
  let isHidden = false;
  for (const banner of banners) {
    if (!banner.isConnected || !banner.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    // A bar of links at an edge is not a banner, and neither is what the page consists of.
    const { width, height } = banner.getBoundingClientRect();
    const text = (banner.shadowRoot ?? banner).textContent ?? '';
    const isAsking = (banner.shadowRoot ?? banner).querySelector('button, [role=button], input') !== null;
    const isPart = window !== window.top || (document.body.textContent ?? '').length - text.length > 100;
    if (!isAsking || !isPart || text.length > 2_000 || width * height < (innerWidth * innerHeight) / 10) continue;
    banner.style.setProperty('display', 'none', 'important');
    isHidden = true;
  }
  return isHidden;
}
