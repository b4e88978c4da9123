/** Keeps what is about to be pressed clear of what lies over the end of the window. */

/** The room between the two, in pixels. */
const gap = 12;

/** Moves the page so that a control is seen, and with it the button that ends its form: that one is pressed next. */
function moveClear(cover: Element, wanted: Element): void {
  const ending = wanted.closest('form')?.querySelector('button:not([type="button"])');
  for (const control of ending == null ? [wanted] : [ending, wanted]) {
    const { top } = cover.getBoundingClientRect();
    if (cover.contains(control) || control.closest('dialog') !== null) continue;
    const { top: begin, bottom: end } = control.getBoundingClientRect();
    if (end > top - gap && begin < innerHeight) scrollBy({ top: end - (top - gap), behavior: 'instant' });
  }
}

/**
 * Has the page know the height of what lies over its end, as a property of css, until the returned function is called.
 * @param grown called after each change
 */
export function sayHeight(cover: HTMLElement, property: `--${string}`, grown?: () => void): () => void {
  const { style } = document.documentElement;
  const observer = new ResizeObserver(() => {
    style.setProperty(property, `${cover.offsetHeight}px`);
    grown?.();
  });
  observer.observe(cover);
  return () => observer.disconnect();
}

/**
 * Keeps them clear until the returned function is called: when the cover or the page grows, and when the focus goes
 * elsewhere. The page learns the height of the cover as `--messages`.
 */
export function keepClear(cover: HTMLElement): () => void {
  const over = new AbortController();
  // A button that is disabled while it works has lost the focus when the message comes.
  let last: Element | null = null;
  // A page that moves between press and release takes the control from below the pointer, and nothing is clicked.
  let isPressed = false;
  const look = (): void => {
    if (!isPressed && cover.childElementCount > 0 && last?.isConnected === true) moveClear(cover, last);
  };
  const press = (): void => {
    isPressed = true;
  };
  // The click comes after the release, and before a timer.
  const release = (): unknown =>
    setTimeout(() => {
      isPressed = false;
      look();
    });
  const note = ({ target }: FocusEvent): void => {
    last = target instanceof Element ? target : null;
    look();
  };
  const saysNoMore = sayHeight(cover, '--messages', look);
  // What a press changed comes in above the control that was pressed, perhaps after the message. The next frame moves the
  // page: within this one its height may change again.
  const pageGrown = new ResizeObserver(() => requestAnimationFrame(look));
  pageGrown.observe(document.body);
  const { signal } = over;
  document.addEventListener('focusin', note, { signal });
  document.addEventListener('pointerdown', press, { signal, capture: true });
  for (const ends of ['pointerup', 'pointercancel'])
    document.addEventListener(ends, release, { signal, capture: true });
  return () => {
    over.abort();
    saysNoMore();
    pageGrown.disconnect();
  };
}
