/** A document of our own becomes a picture of the panel's size. It asks the network for nothing. */
import type { PageDocument } from '../pages/document.ts';
import type { BrowserPool } from './browser-pool.ts';
import { timedOut } from './limit-time.ts';

const renderTimeoutMs = 20_000;

/** The picture, or a sentence for a person. */
export type RenderedDocument =
  | { readonly ok: true; readonly png: Buffer }
  | { readonly ok: false; readonly reason: string };

/** Renders a document. Expected failures are values. */
export async function renderDocument(
  { html, width, height }: PageDocument,
  pool: BrowserPool,
): Promise<RenderedDocument> {
  try {
    const png = await pool.visit({ width, height, timeoutMs: renderTimeoutMs, isOwn: true }, async ({ page }) => {
      await page.setContent(html, { waitUntil: 'domcontentloaded' });
      await page.evaluate(fitDocument);
      return page.screenshot({ type: 'png', optimizeForSpeed: true, captureBeyondViewport: false });
    });
    if (png === timedOut) return { ok: false, reason: `The page was not done in ${renderTimeoutMs / 1000} s.` };
    return { ok: true, png: Buffer.from(png) };
  } catch (error) {
    if (error instanceof Error && error.name === 'Refusal') return { ok: false, reason: `${error.message}.` };
    return { ok: false, reason: 'The browser ended while it rendered the page.' };
  }
}

/**
 * Runs inside the document, as text: names no function. Waits for the fonts; sets `data-fit="most,least"` (rem) as large
 * as it fits; takes the last items of a `data-trim` list away until the rest fits, and says how many under `data-more`.
 */
async function fitDocument(): Promise<void> {
  await Promise.allSettled(Array.from(document.fonts, (font) => font.load()));
  for (const box of document.querySelectorAll<HTMLElement>('[data-fit]')) {
    let [size = 1, least = 1] = (box.dataset.fit ?? '').split(',').map(Number);
    box.style.fontSize = `${size}rem`;
    while (size > least && (box.scrollHeight > box.clientHeight || box.scrollWidth > box.clientWidth)) {
      size -= 0.05;
      box.style.fontSize = `${size}rem`;
    }
    if (box.scrollHeight > box.clientHeight) box.style.justifyContent = 'flex-start';
  }
  for (const list of document.querySelectorAll<HTMLElement>('[data-trim]')) {
    const more = list.parentElement?.querySelector<HTMLElement>('[data-more]');
    let taken = 0;
    while (list.scrollHeight > list.clientHeight && list.lastElementChild !== null) {
      if (more) more.hidden = false;
      const last = list.lastElementChild;
      if (last.hasAttribute('data-item')) taken++;
      last.remove();
      // A day without any of its events says nothing.
      while (list.lastElementChild?.hasAttribute('data-head')) list.lastElementChild.remove();
    }
    const count = more?.querySelector('[data-count]');
    if (count) count.textContent = String(taken);
  }
}
