/**
 * Looks at the requests of a website before they are made: whether a document may be opened. The guard judges every
 * connection besides; what it cannot see is which of them is for a document.
 */
import type { HTTPRequest } from 'puppeteer';
import type { Visit } from './open-visit.ts';

/** Judges the requests of a page from now on. */
export async function judgeDocuments({ page, passage }: Visit): Promise<void> {
  await page.setRequestInterception(true);
  // A second page is closed at once, and its requests are seen by nobody here.
  page.on('popup', () => passage.leaveHouse());
  page.on('request', (request) => {
    const goes = mayGo(request) ? request.continue() : request.abort('blockedbyclient');
    goes.catch(() => {}); // The page was left meanwhile.
  });

  function mayGo(request: HTTPRequest): boolean {
    if (!request.isNavigationRequest() || !URL.canParse(request.url())) return true;
    const url = new URL(request.url());
    return (url.protocol !== 'http:' && url.protocol !== 'https:') || passage.mayOpen(url);
  }
}
