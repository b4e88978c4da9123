/** The cookie of a session, and the proof that the console's own page sends it (T-69). */

import type { IncomingHttpHeaders } from 'node:http';
import { parseUrl } from '../../runtime/read-address.ts';
import type { RequestOrigin } from '../http/request-origin.ts';

const cookieName = 'papergate_session';

/** Returns the session's secret, if the request brings one. */
export function sessionCookie(headers: IncomingHttpHeaders): string | undefined {
  const value = cookieValue(headers, cookieName);
  return value !== undefined && /^[\w-]{43}$/.test(value) ? value : undefined;
}

/** Returns the value of a cookie. A name that stands twice is somebody's attempt to shadow it: neither counts. */
export function cookieValue({ cookie = '' }: IncomingHttpHeaders, wanted: string): string | undefined {
  const found = cookie.split(';').flatMap((pair) => {
    const [name = '', value = ''] = pair.trim().split('=');
    return name === wanted ? [value] : [];
  });
  return found.length === 1 ? found[0] : undefined;
}

/** Returns the `Set-Cookie` of a session, for the path below which the service is reached. */
export function writeSessionCookie(secret: string, maxAgeSeconds: number, { isHttps, prefix }: RequestOrigin): string {
  const attributes = [`Path=${prefix}/`, `Max-Age=${maxAgeSeconds}`, 'HttpOnly', 'SameSite=Strict'];
  return [`${cookieName}=${secret}`, ...attributes, ...(isHttps ? ['Secure'] : [])].join('; ');
}

/**
 * Returns whether the console's own page sent the request (T-69). Pages of other origins cannot send our header: it takes
 * a preflight, which nobody grants.
 */
export function isOfConsole(headers: IncomingHttpHeaders, ownHosts: readonly string[]): boolean {
  return headers['x-papergate-console'] === '1' && !isOfOthers(headers, ownHosts);
}

/**
 * Returns whether a browser reports that a page of another origin sent the request. Programs, and some browsers over
 * plain HTTP, report nothing. Hosts are compared and not schemes, because a proxy that the operator did not name turns
 * `https` into `http` unnoticed. Where a proxy drops the port, `Sec-Fetch-Site`, which no page can set, still shows
 * that the host is the same.
 */
export function isOfOthers(
  { origin, 'sec-fetch-site': site }: IncomingHttpHeaders,
  ownHosts: readonly string[],
): boolean {
  if (site !== undefined && site !== 'same-origin') return true;
  if (origin === undefined) return false;
  const page = parseUrl(origin);
  if (page === undefined) return true;
  const { host, hostname } = page;
  const isSameName = (own: string): boolean => new URL(`http://${own}`).hostname === hostname;
  return !ownHosts.includes(host) && !(site === 'same-origin' && ownHosts.some(isSameName));
}
