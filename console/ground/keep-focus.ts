/** Where the focus goes when the element that had it is gone. */

/** Brings the focus to the beginning of the screen, as a new page does. */
export function focusScreen(): void {
  document.querySelector<HTMLElement>('main[tabindex]')?.focus({ preventScroll: true });
}

/** Gives the focus to the screen whenever what had it was taken away, such as the row that was just removed. */
export function watchFocus(): () => void {
  let last: Element | null = null;
  const note = (event: FocusEvent): void => {
    last = event.target instanceof Element ? event.target : null;
  };
  const watch = new MutationObserver(() => {
    const isLost = last !== null && !last.isConnected && document.activeElement === document.body;
    if (!isLost) return;
    last = null;
    focusScreen();
  });
  document.addEventListener('focusin', note);
  watch.observe(document.body, { childList: true, subtree: true });
  return () => {
    document.removeEventListener('focusin', note);
    watch.disconnect();
  };
}
