/** A document of our own becomes a PDF to print. It asks the network for nothing. */
import { type Because, reasonOf } from '../../reasons/reason.ts';
import { Refusal } from '../../reasons/refusals.ts';
import type { Sharer } from '../../runtime/fair-shares.ts';
import { timedOut } from '../../runtime/limit-time.ts';
import type { BrowserPool } from '../browser/browser-pool.ts';
import { loadFonts } from '../in-page/load-fonts.ts';

const printTimeoutMs = 20_000;
/** A4 in pixels of CSS. */
const sheet = { width: 794, height: 1123 } as const;

/** The document, or why there is none. */
export type PrintedDocument =
  | { readonly ok: true; readonly pdf: Buffer }
  | { readonly ok: false; readonly reason: Because };

/** Prints a page of HTML on A4. Expected failures are values. */
export async function printDocument(html: string, sharer: Sharer, pool: BrowserPool): Promise<PrintedDocument> {
  try {
    const printed = await pool.visit({ sharer, ...sheet, timeoutMs: printTimeoutMs, isOwn: true }, async ({ page }) => {
      await page.setContent(html, { waitUntil: 'domcontentloaded' });
      await page.evaluate(loadFonts);
      return Buffer.from(await page.pdf({ format: 'A4', printBackground: true, preferCSSPageSize: true }));
    });
    if (printed === timedOut)
      return { ok: false, reason: reasonOf('page-too-slow', { seconds: printTimeoutMs / 1000 }) };
    return { ok: true, pdf: printed };
  } catch (error) {
    return { ok: false, reason: error instanceof Refusal ? error.reason : reasonOf('browser-ended') };
  }
}
