/** The signs by which a page shows that it is not done: words, marks, or nothing to be seen. */

/** The signs that a page is unfinished. */
export type Unfinished = 'loading' | 'bare' | 'no';

/**
 * Runs inside a page, as text: it names no function. Looks at what is within the picture. A word counts where a short
 * text contains it and little else; a page that shows hardly anything is bare.
 * @param asked patterns without flags: of texts, and of classes
 */
export function findUnfinished(asked: { words: string; classes: string; maxElements: number; ms: number }): Unfinished {
  const end = performance.now() + asked.ms;
  const words = new RegExp(asked.words, 'iu');
  const classes = new RegExp(asked.classes, 'i');
  const roots: (Document | ShadowRoot)[] = [document];
  let [left, letters, isDrawn] = [asked.maxElements, 0, false];
  for (const root of roots) {
    for (const element of root.querySelectorAll<HTMLElement>('body, body *, :host > *, :host > * *')) {
      if (--left < 0 || performance.now() > end) return 'no';
      if (element.shadowRoot !== null) roots.push(element.shadowRoot);
      if (['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'OPTION'].includes(element.tagName)) continue;
      let own = '';
      for (const node of element.childNodes) if (node.nodeType === Node.TEXT_NODE) own += node.nodeValue ?? '';
      own = own.replace(/\s+/g, ' ').trim();
      const isMedia = /^(img|svg|canvas|video|iframe|object|embed|picture)$/i.test(element.tagName);
      const name = element.getAttribute('class') ?? '';
      const isMarked =
        element.getAttribute('aria-busy') === 'true' ||
        element.getAttribute('role') === 'progressbar' ||
        (element.tagName === 'PROGRESS' && !element.hasAttribute('value')) ||
        (classes.test(name) && (element.textContent ?? '').trim().length < 40);
      if (own === '' && !isMedia && !isMarked) continue;
      const { top, right, bottom, left: begins, width, height } = element.getBoundingClientRect();
      const isWithin = bottom > 0 && right > 0 && top < innerHeight && begins < innerWidth && width * height > 16;
      if (!isWithin || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
      if (isMarked && element !== document.body) return 'loading';
      if (own !== '' && own.length <= 60 && words.test(own)) return 'loading';
      letters += own.length;
      if (isMedia && width >= 50 && height >= 50) isDrawn = true;
    }
  }
  return letters < 40 && !isDrawn ? 'bare' : 'no';
}
