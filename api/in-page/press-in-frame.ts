/** Presses a button of a cookie banner. */

/**
 * Runs inside a frame, as text: it names no function. A button counts if it says one of the words and nothing else, can
 * be seen, and lies in something that is laid over the page, or has a frame to itself, and talks of the subject.
 */
export function pressInFrame({ words, subject }: { words: string[][]; subject: string }): boolean {
  const roots: (Document | ShadowRoot)[] = [document];
  for (const root of roots) {
    for (const { shadowRoot } of root.querySelectorAll('*')) if (shadowRoot !== null) roots.push(shadowRoot);
  }
  const kinds = 'button, [role=button], input[type=button], input[type=submit]';
  const buttons = roots.flatMap((root) => Array.from(root.querySelectorAll<HTMLElement>(kinds)));
  for (const wanted of words) {
    for (const button of buttons) {
      const text = button instanceof HTMLInputElement ? button.value : (button.textContent ?? '');
      if (!wanted.includes(text.replace(/\s+/g, ' ').trim().toLowerCase()) || !button.checkVisibility()) continue;
      let at: Element | null = button;
      while (at !== null) {
        const isOver =
          ['fixed', 'sticky'].includes(getComputedStyle(at).position) ||
          at.matches('dialog, [role=dialog], [role=alertdialog], [aria-modal=true]') ||
          (window !== window.top && at === document.body);
        if (isOver && new RegExp(subject, 'i').test((at.shadowRoot ?? at).textContent ?? '')) {
          button.click();
          return true;
        }
        const root: Node = at.getRootNode();
        at = at.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
      }
    }
  }
  return false;
}
