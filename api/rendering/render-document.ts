/** A document of our own becomes a picture of the panel's size. It asks the network for nothing. */

import type { Page } from 'puppeteer';
import { type Because, reasonOf } from '../../reasons/reason.ts';
import { Refusal } from '../../reasons/refusals.ts';
import type { Sharer } from '../../runtime/fair-shares.ts';
import { timedOut } from '../../runtime/limit-time.ts';
import type { BrowserPool } from '../browser/browser-pool.ts';
import {
  breakWords,
  endTexts,
  fitLines,
  fitTexts,
  lettersWithoutFont,
  loadFonts,
  longWords,
  trimLists,
} from '../in-page/fit-document.ts';
import type { PageDocument } from '../pages/document.ts';
import { hyphenate } from '../pages/hyphenate.ts';

const renderTimeoutMs = 20_000;

/** The picture and the characters that no font here has, or a sentence for a person. */
export type RenderedDocument =
  | { readonly ok: true; readonly png: Buffer; readonly missing: string }
  | { readonly ok: false; readonly reason: Because };

/** Renders a document. Expected failures are values. */
export async function renderDocument(
  { html, width, height, language = 'en' }: PageDocument,
  sharer: Sharer,
  pool: BrowserPool,
): Promise<RenderedDocument> {
  try {
    const drawn = await pool.visit(
      { sharer, width, height, timeoutMs: renderTimeoutMs, isOwn: true },
      async ({ page }) => {
        await page.setContent(html, { waitUntil: 'domcontentloaded' });
        await page.evaluate(loadFonts);
        const missing = await page.evaluate(lettersWithoutFont);
        await fit(page, language);
        const png = await page.screenshot({ type: 'png', optimizeForSpeed: true, captureBeyondViewport: false });
        return { png: Buffer.from(png), missing };
      },
    );
    if (drawn === timedOut)
      return { ok: false, reason: reasonOf('page-too-slow', { seconds: renderTimeoutMs / 1000 }) };
    return { ok: true, ...drawn };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, reason: error.reason };
    return { ok: false, reason: reasonOf('browser-ended') };
  }
}

/** Fits the texts of a page to its size. Lines are fitted first: titles leave their texts the remaining room. */
async function fit(page: Page, language: string): Promise<void> {
  const partWords = async (): Promise<void> => {
    const words = await page.evaluate(longWords);
    await page.evaluate(breakWords, hyphenate(words, language));
  };
  await page.evaluate(fitLines);
  await partWords();
  await page.evaluate(fitTexts);
  await partWords();
  await page.evaluate(endTexts);
  await page.evaluate(trimLists);
}
