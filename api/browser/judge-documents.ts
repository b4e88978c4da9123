/**
 * Looks at the requests of a website before they are made: whether a document may be opened, and which of them carry the
 * login of their origin. The guard judges every connection besides; what it cannot see is which of them is for a
 * document.
 */

import type { HTTPRequest, Page } from 'puppeteer';
import { parseUrl } from '../../runtime/read-address.ts';
import { type AddressLogin, loginHeaders } from '../outgoing/address-login.ts';
import type { Visit } from './open-visit.ts';

/** Judges the requests of a page from now on. */
export async function judgeDocuments({ page, passage }: Visit, logins: readonly AddressLogin[]): Promise<void> {
  await page.setRequestInterception(true);
  // A second page is closed at once, and its requests are seen by nobody here.
  page.on('popup', () => passage.leaveHouse());
  page.on('request', (request) => {
    const url = parseUrl(request.url());
    const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:';
    const mayGo = !isWeb || !request.isNavigationRequest() || passage.mayOpen(url);
    const more = isWeb && logins.length > 0 ? { headers: headersFor(page, request, url, logins) } : {};
    const goes = mayGo ? request.continue(more) : request.abort('blockedbyclient');
    goes.catch(() => {}); // The page was left meanwhile.
  });
}

/**
 * Returns a request's headers, with the login of its origin where pages of that origin ask. A redirect carries on the
 * headers of the request before it, so that the logins of others are taken away (T-93).
 */
function headersFor(
  page: Page,
  request: HTTPRequest,
  url: URL,
  logins: readonly AddressLogin[],
): Record<string, string> {
  const secrets = new Set(logins.map(({ value }) => value));
  const plain = Object.entries(request.headers()).filter(([, value]) => !secrets.has(value));
  return { ...Object.fromEntries(plain), ...(asksForItself(page, request, url) ? loginHeaders(logins, url) : {}) };
}

/** Returns whether a request was made by a page of the same origin, or is for the first page. */
function asksForItself(page: Page, request: HTTPRequest, { origin }: URL): boolean {
  const originOf = (address: string): string => parseUrl(address)?.origin ?? '';
  const frame = request.frame();
  if (frame === null || request.redirectChain().some((before) => originOf(before.url()) !== origin)) return false;
  const isFirst = request.isNavigationRequest() && frame === page.mainFrame() && frame.url() === 'about:blank';
  return isFirst || originOf(frame.url()) === origin;
}
