/**
 * The functions that run inside a rendered page. Each is sent to the page as text, so it may use nothing but its
 * argument and the page's own globals, and must not name a function inside: the TypeScript loader would wrap the name
 * in a helper that the page does not have.
 */

/** The state of a page after INIT. */
export type Readiness = 'elsewhere' | 'unmarked' | 'loaded-before' | 'loaded' | 'error';

/**
 * Posts INIT once and watches for the page's answer, in one go. Nothing is posted when the document has another
 * origin than the page that was asked for, nor to a page without markers while `onlyMarked`.
 * @returns settles when the page is loaded or reports an error; for a page that sets no marker, never
 */
export function postInitAndWatch(asked: { origin: string; payload: unknown; onlyMarked: boolean }): Promise<Readiness> {
  // Another origin learns nothing of the paper (PAGE-26).
  if (window.location.origin !== asked.origin) return Promise.resolve('elsewhere');
  const isMarked =
    document.querySelector('#website-has-loading-element, #website-has-loaded') !== null ||
    document.documentElement.hasAttribute('data-paperless-render-status');
  if (asked.onlyMarked && !isMarked) return Promise.resolve('unmarked');
  const wasLoaded = document.querySelector('#website-has-loaded') !== null;
  // Pages take the first object that they hear for INIT, so nothing is posted before it (PAGE-02).
  if (asked.payload !== null) window.postMessage({ cmd: 'message', type: 'INIT', data: asked.payload }, '*');
  // A page may call itself loaded before INIT, and draws again on it (PAGE-05).
  if (wasLoaded) return Promise.resolve('loaded-before');
  if (document.documentElement.getAttribute('data-paperless-render-status') === 'error')
    return Promise.resolve('error');
  // An error status ends the wait at once: some pages never set the loaded marker then.
  return new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      const failed = document.documentElement.getAttribute('data-paperless-render-status') === 'error';
      if (!failed && document.querySelector('#website-has-loaded') === null) return;
      observer.disconnect();
      resolve(failed ? 'error' : 'loaded');
    });
    observer.observe(document, { childList: true, subtree: true, attributes: true });
  });
}

/**
 * Returns whether the page follows the marker protocol. It is asked after INIT, because some pages set their first marker
 * on it.
 */
export function hasMarkers(): boolean {
  return (
    document.querySelector('#website-has-loading-element, #website-has-loaded') !== null ||
    document.documentElement.hasAttribute('data-paperless-render-status')
  );
}

/** The page's final state: its address, its error, and its settings for the panel's picture. */
export interface LastWord {
  readonly origin: string;
  readonly error: string | null;
  readonly optimize: string | null;
}

/**
 * Adds the paper's own style, if there is one, waits until fonts and images are there or have failed, and reads the
 * page's last word, in one go: after its marker, which errors set too. The older error signs count only where
 * the status attribute is missing, and only if they can be seen.
 */
export async function settleAndRead(asked: { css: string | null; limitMs: number }): Promise<LastWord> {
  if (asked.css !== null) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(asked.css);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  }
  // Fonts and images are waited for whether they come or fail.
  const images = Array.from(document.images, (image) => image.decode());
  const late = new Promise((resolve) => setTimeout(resolve, asked.limitMs));
  await Promise.race([Promise.allSettled([document.fonts.ready, ...images]), late]);
  const root = document.documentElement;
  // A loaded page need not be well: the status attribute decides (PAGE-06).
  const status = root.getAttribute('data-paperless-render-status');
  const sign =
    status === null
      ? Array.from(document.querySelectorAll<HTMLElement>('.pp-error, [role=alert]')).find(
          (element) => element.checkVisibility() && element.textContent.trim() !== '',
        )
      : undefined;
  return {
    origin: window.location.origin,
    error: status === 'error' ? (root.getAttribute('data-paperless-render-error') ?? '') : (sign?.textContent ?? null),
    optimize: document.querySelector('meta[name="paperless:epd-optimize"]')?.getAttribute('content') ?? null,
  };
}

/** Puts a value into the storage of a page of an origin, which is the page itself and no frame in another. */
export function keepInStorage({ origin, key, value }: { origin: string; key: string; value: string }): void {
  if (window.top === window && window.location.origin === origin) window.localStorage.setItem(key, value);
}

/**
 * Refuses service workers as a browser without cookies does: no picture needs one, and each costs the browser a start
 * (R-16).
 */
export function refuseServiceWorkers(): void {
  if (!('ServiceWorkerContainer' in window)) return; // Pages without TLS have none.
  ServiceWorkerContainer.prototype.register = () =>
    Promise.reject(new DOMException('A page that is drawn has no service workers', 'SecurityError'));
}
