/** Loads a page through the guard, and explains in words why it could not. */
import type { HTTPResponse } from 'puppeteer';
import { NotRendered } from './not-rendered.ts';
import type { Visit } from './open-visit.ts';
import type { Passage } from './page-guard.ts';

const loadTimeoutMs = 15_000;

/**
 * Goes to a URL until its document is parsed.
 * @param mayMove whether a redirect may end at another origin; at an integration's page it may not (PAGE-26)
 * @returns the origin of the document
 * @throws NotRendered
 */
export async function loadPage({ page, passage }: Visit, url: URL, mayMove: boolean): Promise<string> {
  let response: HTTPResponse | null;
  try {
    response = await page.goto(url.href, { waitUntil: 'domcontentloaded', timeout: loadTimeoutMs });
  } catch (error) {
    if (!page.browser().connected || !(error instanceof Error)) throw error;
    if (error.name === 'TimeoutError') throw new NotRendered(`The page did not load in ${loadTimeoutMs / 1000} s.`);
    throw new NotRendered(whyNotLoaded(error.message, passage, url));
  }
  const arrived = new URL(page.url());
  const failed = passage.failedHosts().get(arrived.host);
  if (failed !== undefined) throw new NotRendered(whyNotLoaded('', passage, arrived));
  if (arrived.origin !== url.origin && !mayMove) {
    throw new NotRendered(`The page redirects to another origin than ${url.origin}.`);
  }
  if (response !== null && response.status() >= 400) {
    throw new NotRendered(`The page answered with status ${response.status()}.`);
  }
  return arrived.origin;
}

function whyNotLoaded(message: string, passage: Passage, url: URL): string {
  const refused = [...passage.failedHosts()].find(([, why]) => why === 'forbidden');
  if (refused !== undefined) return `${refused[0]} is not a public address, so the page was not loaded.`;
  if (message.includes('ERR_TOO_MANY_REDIRECTS')) return 'The page redirects without end.';
  if (message.includes('ERR_ABORTED')) return 'The address gives no page to show, but a download or nothing.';
  if (/ERR_(CERT|SSL)_/.test(message)) return `The certificate of ${url.origin} is not valid.`;
  return `${url.origin} could not be reached.`;
}
