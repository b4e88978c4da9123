/** The cookie of a session, and the proof that the console's own page sends it (T-69). */
import type { IncomingHttpHeaders } from 'node:http';
import type { RequestOrigin } from '../http/request-origin.ts';

const cookieName = 'papergate_session';

/** Returns the session's secret, if the request brings one. */
export function sessionCookie({ cookie = '' }: IncomingHttpHeaders): string | undefined {
  // A name that stands twice is somebody's attempt to shadow it: neither counts.
  const found = cookie.split(';').flatMap((pair) => {
    const [name = '', value = ''] = pair.trim().split('=');
    return name === cookieName ? [value] : [];
  });
  return found.length === 1 && /^[\w-]{43}$/.test(found[0] ?? '') ? found[0] : undefined;
}

/** Returns the `Set-Cookie` of a session, for the path below which the service is reached. */
export function writeSessionCookie(secret: string, maxAgeSeconds: number, { isHttps, prefix }: RequestOrigin): string {
  const attributes = [`Path=${prefix}/`, `Max-Age=${maxAgeSeconds}`, 'HttpOnly', 'SameSite=Strict'];
  return [`${cookieName}=${secret}`, ...attributes, ...(isHttps ? ['Secure'] : [])].join('; ');
}

/**
 * Tells whether the console's own page sent the request. Pages of other origins cannot send our header without a
 * preflight that nobody grants with credentials; what browsers say of themselves must not contradict it.
 */
export function isOfConsole(headers: IncomingHttpHeaders, publicUrl: string | undefined): boolean {
  if (headers['x-papergate-console'] !== '1') return false;
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') return false;
  const { origin } = headers;
  if (origin === undefined) return true;
  const own = [headers.host, headers['x-forwarded-host'], publicUrl && new URL(publicUrl).host];
  return URL.canParse(origin) && own.includes(new URL(origin).host);
}
