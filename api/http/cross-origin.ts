/**
 * Answers calls by scripts of other web applications, whose origins the operator named. They bring a token or a key: no
 * browser is ever asked to send the console's cookie along, nor that they may send the header with which alone it
 * counts (T-69).
 */
import { parseUrl } from '../../runtime/read-address.ts';
import { hasBody } from './read-body.ts';
import type { RawHandler } from './server.ts';

/** The time for which a browser remembers a preflight; none remembers longer. */
const rememberedSeconds = 7200;

/** The names stand next to the `*` because it never means `Authorization`, and because not every browser knows it. */
const preflightAnswer = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'Access-Control-Allow-Headers': 'Authorization, X-API-Key, Content-Type, X-Request-Id, *',
  'Access-Control-Max-Age': String(rememberedSeconds),
} as const;

/** The header of the console's own page. */
const consoleHeader = 'x-papergate-console';

/** The headers that scripts may read beyond those that they always may. */
const exposedHeaders = 'Retry-After, X-Request-Id, Allow';

/** Reads an origin, written exactly as browsers do; `problem` states what is wrong with it. */
export function readOrigin(written: string): string | { readonly problem: string } {
  const text = written.trim();
  if (text.includes('*')) return { problem: 'would let in pages that nobody knows: name the origins' };
  const url = parseUrl(text);
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    return { problem: 'is not an origin: scheme://host, with :port where it is not the usual one' };
  }
  return url.origin === text ? text : { problem: `is not as browsers write it: ${url.origin}` };
}

/**
 * Returns the first handler of each request. It names in every answer the origin that a browser may pass it to,
 * refusals and unknown paths included, and answers preflights itself: they carry no credential. Without origins it does
 * nothing.
 */
export function crossOrigin(origins: readonly string[]): RawHandler['serve'] {
  const allowed = new Set(origins);
  if (allowed.size === 0) return () => false;
  return (request, response) => {
    const { origin } = request.headers;
    const isAllowed = origin !== undefined && allowed.has(origin);
    // A cache must not give one origin's answer to another.
    response.setHeader('Vary', 'Origin');
    if (isAllowed) {
      response.setHeader('Access-Control-Allow-Origin', origin);
      response.setHeader('Access-Control-Expose-Headers', exposedHeaders);
    }
    const asked = request.headers['access-control-request-method'];
    const isPreflight = request.method === 'OPTIONS' && origin !== undefined && asked !== undefined;
    // A preflight has no body; a request with one is answered where bodies are handled (INV-66).
    if (!isPreflight || hasBody(request)) return false;
    const wanted = request.headers['access-control-request-headers'] ?? '';
    const isConsoles = wanted.toLowerCase().includes(consoleHeader);
    response.writeHead(204, isAllowed && !isConsoles ? preflightAnswer : {}).end();
    return true;
  };
}
