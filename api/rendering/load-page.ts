/** Loads a page through the guard, and explains in words why it could not. */

import type { HTTPResponse } from 'puppeteer';
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import { NotRendered } from '../browser/not-rendered.ts';
import type { Visit } from '../browser/open-visit.ts';
import type { Passage } from '../browser/page-guard.ts';

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
    if (error.name === 'TimeoutError')
      throw new NotRendered(reasonOf('page-not-loaded', { seconds: loadTimeoutMs / 1000 }));
    throw new NotRendered(whyNotLoaded(error.message, passage, url, mayMove));
  }
  const arrived = new URL(page.url());
  const failed = passage.failedHosts().get(arrived.host);
  if (failed !== undefined) throw new NotRendered(whyNotLoaded('', passage, arrived, mayMove));
  if (arrived.origin !== url.origin && !mayMove) {
    throw new NotRendered(reasonOf('page-moved', { origin: url.origin }));
  }
  if (response !== null && response.status() >= 400) {
    throw new NotRendered(reasonOf('page-status', { status: response.status() }));
  }
  return arrived.origin;
}

function whyNotLoaded(message: string, passage: Passage, url: URL, isWebsite: boolean): Reason {
  const left = [...passage.failedHosts()].find(([, why]) => why === 'outside');
  if (left !== undefined) return reasonOf('page-left-house', { host: left[0] });
  const refused = [...passage.failedHosts()].find(([, why]) => why === 'forbidden');
  if (refused !== undefined) {
    const [host] = refused;
    return isWebsite ? reasonOf('page-not-at-home', { host }) : reasonOf('page-not-public', { host });
  }
  if (message.includes('ERR_TOO_MANY_REDIRECTS')) return reasonOf('page-redirects');
  if (message.includes('ERR_ABORTED')) return reasonOf('page-is-download');
  if (/ERR_(CERT|SSL)_/.test(message)) return reasonOf('page-certificate', { origin: url.origin });
  return reasonOf('page-unreachable', { origin: url.origin });
}
