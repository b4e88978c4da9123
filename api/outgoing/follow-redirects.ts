/** Makes a request and follows its redirects. Each step is an address of its own, checked as the first one (T-04). */

import { type Reason, reasonOf } from '../../reasons/reason.ts';
import type { Sharer } from '../../runtime/fair-shares.ts';
import { parseUrl } from '../../runtime/read-address.ts';
import { type AddressLogin, loginHeaders } from './address-login.ts';
import { type HomeNetworks, type HomeWatch, namedPublicHosts } from './home-networks.ts';
import { readPlainUrl } from './plain-url.ts';
import { type OutgoingRequest, type RequestOutcome, requestOnce } from './request-once.ts';
import { cookiesOfVisit } from './visit-cookies.ts';
import type { WayOut } from './way-out.ts';

export interface FollowDeps {
  readonly wayOut: WayOut;
  readonly home: HomeNetworks;
}

/** PROPFIND lists a folder (RFC 4918). */
type Method = 'GET' | 'POST' | 'PROPFIND';

/** A request that follows redirects. */
export interface FollowedRequest
  extends Pick<OutgoingRequest, 'signal' | 'timeoutMs' | 'bodyTimeoutMs' | 'readLimitBytes' | 'body' | 'wantsHeaders'> {
  readonly sharer: Sharer;
  readonly url: URL;
  /** Left out, GET. A redirect with status 301, 302 or 303 is asked for with GET, but for PROPFIND. */
  readonly method?: Method;
  /** Headers for every step. */
  readonly headers: Readonly<Record<string, string>>;
  /** Headers for the origin of `url` alone: they may hold secrets. A body goes nowhere else, either. */
  readonly ownHeaders?: Readonly<Record<string, string>>;
  readonly logins?: readonly AddressLogin[] | undefined;
  /** Reads the address that a redirect leads to; left out, one of the web. */
  readonly readAddress?: (text: string) => URL | Reason;
  /** Is called for each step, and returns what takes its body in place of the answer's `body`. */
  readonly beginTaking?: () => (piece: Buffer) => void;
  /** Is called when a step is connected. */
  readonly connected?: () => void;
}

/** The answer at the end of the way, whatever its status. */
export type FollowedAnswer = Extract<RequestOutcome, { kind: 'answer' }> & { readonly url: URL };

const maxRedirects = 3;
const redirects: readonly number[] = [301, 302, 303, 307, 308];

/** One step on the way. */
interface Step {
  readonly url: URL;
  readonly method: Method;
  readonly headers: Readonly<Record<string, string>>;
  /** The rule for hosts of this step. */
  readonly watch: HomeWatch | undefined;
}

function askOnce({ wayOut }: FollowDeps, { url, method, headers, watch }: Step, request: FollowedRequest) {
  const { sharer, signal, timeoutMs, bodyTimeoutMs, readLimitBytes, body, wantsHeaders, beginTaking, connected } =
    request;
  return requestOnce(wayOut, {
    sharer,
    url: url.href,
    method,
    headers,
    readLimitBytes,
    allowLoopback: false,
    allowPlain: true,
    rule: watch?.rule ?? namedPublicHosts,
    ...(method !== 'GET' && body !== undefined && { body }),
    ...(wantsHeaders !== undefined && { wantsHeaders }),
    ...(signal !== undefined && { signal }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(bodyTimeoutMs !== undefined && { bodyTimeoutMs }),
    ...(beginTaking !== undefined && { take: beginTaking() }),
    async mayBegin() {
      connected?.();
      return true;
    },
  });
}

/**
 * Makes the request and follows where it leads, three redirects at most. From outside none leads into the house (T-92), from
 * HTTPS none to HTTP, and logins stay with the origin that was named.
 */
export async function followRedirects(
  deps: FollowDeps,
  request: FollowedRequest,
): Promise<FollowedAnswer | { readonly kind: 'problem'; readonly problem: Reason }> {
  const { sharer, url: first, logins = [], headers, ownHeaders = {}, readAddress = readPlainUrl } = request;
  const cookies = cookiesOfVisit();
  let [url, method]: [URL, Method] = [first, request.method ?? 'GET'];
  let [isInside, isFirst] = [true, true];
  for (let steps = 0; steps <= maxRedirects; steps++) {
    const watch = isInside ? deps.home.watch(sharer[0] ?? '') : undefined;
    const own = isFirst ? { ...ownHeaders, ...loginHeaders(logins, url) } : {};
    const step = { url, method, watch, headers: { ...headers, ...cookies.headersFor(url), ...own } };
    const outcome = await askOnce(deps, step, request);
    if (outcome.kind === 'problem') return outcome;
    const { status, location } = outcome;
    if (!redirects.includes(status) || location === undefined) return { ...outcome, url };
    cookies.keep(url, outcome.cookies ?? []);
    const led = nextAddress(url, location, readAddress);
    if (!(led instanceof URL)) return { kind: 'problem', problem: led };
    // Of a request with a body only 307 and 308 ask for the same again; a listing is asked for as it was.
    if (status < 307 && (method === 'POST' || status === 303)) method = 'GET';
    isInside = watch?.isHome() === true;
    isFirst &&= led.origin === first.origin;
    if (method !== 'GET' && !isFirst) return { kind: 'problem', problem: reasonOf('redirect-of-post') };
    url = led;
  }
  return { kind: 'problem', problem: reasonOf('redirects-many', { most: maxRedirects }) };
}

function nextAddress(from: URL, location: string, readAddress: (text: string) => URL | Reason): URL | Reason {
  const led = parseUrl(location, from.href);
  const next = led === undefined ? reasonOf('not-a-url') : readAddress(led.href);
  if (!(next instanceof URL)) return reasonOf('redirect-unusable', { because: next });
  // An address that was asked for privately is not shown to everybody on the way.
  return from.protocol === 'https:' && next.protocol === 'http:' ? reasonOf('redirect-not-private') : next;
}
