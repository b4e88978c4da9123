/** Loads a page through the guard, and explains in words why it could not. */

import type { HTTPResponse } from 'puppeteer';
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import { NotRendered } from '../browser/not-rendered.ts';
import type { Visit } from '../browser/open-visit.ts';
import type { Passage } from '../browser/page-guard.ts';

const loadTimeoutMs = 15_000;

/**
 * Goes to a URL until its document is parsed.
 * @param isWebsite whether a person named it: a redirect may end at another origin then, which it may not at an integration's
 * page (PAGE-26)
 * @returns the origin of the document
 * @throws NotRendered
 */
export async function loadPage({ page, passage }: Visit, url: URL, isWebsite: boolean): Promise<string> {
  let response: HTTPResponse | null;
  try {
    response = await page.goto(url.href, { waitUntil: 'domcontentloaded', timeout: loadTimeoutMs });
  } catch (error) {
    if (!page.browser().connected || !(error instanceof Error)) throw error;
    if (error.name === 'TimeoutError')
      throw new NotRendered(reasonOf('page-not-loaded', { seconds: loadTimeoutMs / 1000 }));
    throw new NotRendered(whyNotLoaded(error.message, passage, url, isWebsite));
  }
  const arrived = new URL(page.url());
  const failed = passage.failedHosts().get(arrived.host);
  if (failed !== undefined) throw new NotRendered(whyNotLoaded('', passage, arrived, isWebsite));
  if (arrived.origin !== url.origin && !isWebsite) {
    throw new NotRendered(reasonOf('page-moved', { origin: url.origin }));
  }
  const status = response?.status() ?? 0;
  if (status === 401 || status === 407) throw new NotRendered(reasonOf('page-wants-login', { status }));
  if (status >= 400) throw new NotRendered(reasonOf('page-status', { status }));
  const data = isWebsite ? dataOf(response?.headers()['content-type']) : undefined;
  if (data !== undefined) throw new NotRendered(reasonOf('page-is-data', { format: data }));
  return arrived.origin;
}

/** Formats of data, which a browser shows as text or as a tree: nobody wants that on a wall. */
const dataFormats: Readonly<Record<string, string>> = {
  'application/json': 'JSON',
  'application/feed+json': 'a JSON feed',
  'application/rss+xml': 'an RSS feed',
  'application/atom+xml': 'an Atom feed',
  'application/rdf+xml': 'an RSS feed',
  'text/calendar': 'a calendar',
  'text/csv': 'a CSV table',
};

/** Names the format of an answer that is data and not a page; undefined for pages, pictures and texts. */
function dataOf(contentType = ''): string | undefined {
  const [type = ''] = contentType.toLowerCase().split(';', 1);
  return dataFormats[type.trim()] ?? (/\+json$/.test(type.trim()) ? 'JSON' : undefined);
}

function untrusted(passage: Passage, url: URL): Reason {
  const [host = url.host] = [...passage.failedHosts()].find(([, why]) => why === 'certificate') ?? [];
  return reasonOf('page-certificate', { origin: `https://${host}` });
}

function whyNotLoaded(message: string, passage: Passage, url: URL, isWebsite: boolean): Reason {
  const left = [...passage.failedHosts()].find(([, why]) => why === 'outside');
  if (left !== undefined) return reasonOf('page-left-house', { host: left[0] });
  const refused = [...passage.failedHosts()].find(([, why]) => why === 'forbidden');
  if (refused !== undefined) {
    const [host] = refused;
    return isWebsite ? reasonOf('page-not-at-home', { host }) : reasonOf('page-not-public', { host });
  }
  if ([...passage.failedHosts().values()].includes('certificate')) return untrusted(passage, url);
  if (message.includes('ERR_TOO_MANY_REDIRECTS')) return reasonOf('page-redirects');
  if (message.includes('ERR_ABORTED')) return reasonOf('page-is-download');
  if (/ERR_(CERT|SSL)_/.test(message)) return reasonOf('page-certificate', { origin: url.origin });
  return reasonOf('page-unreachable', { origin: url.origin });
}
