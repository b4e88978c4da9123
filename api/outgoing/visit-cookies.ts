/**
 * Keeps the cookies of one visit: servers set one and lead back to the same address. They go to the host that set them
 * and to no other, and are forgotten with the visit (RFC 6265, without the domains that a host may share).
 */

const maxCookies = 50;
const maxLength = 4_096;

export interface VisitCookies {
  /** Keeps what an answer of an address sets. */
  keep(url: URL, headers: readonly string[]): void;
  /** Returns the headers with which an address is asked. */
  headersFor(url: URL): Readonly<Record<string, string>>;
}

/** Begins a visit without cookies. */
export function cookiesOfVisit(): VisitCookies {
  /** Values by host and name. */
  const kept = new Map<string, { readonly host: string; readonly pair: string; readonly isSecure: boolean }>();

  return {
    keep({ hostname: host, protocol }, headers) {
      for (const header of headers) {
        const [pair = '', ...attributes] = header.split(';').map((part) => part.trim());
        const name = pair.slice(0, Math.max(0, pair.indexOf('=')));
        if (name === '' || pair.length > maxLength || !/^[\x21-\x7e][\x20-\x7e]*$/.test(pair)) continue;
        const key = `${host} ${name}`;
        kept.delete(key);
        const isGone = attributes.some((one) => /^max-age=(?:0|-)/i.test(one)) || isPast(attributes);
        if (isGone || kept.size >= maxCookies) continue;
        const isSecure = attributes.some((one) => /^secure$/i.test(one));
        if (!isSecure || protocol === 'https:') kept.set(key, { host, pair, isSecure });
      }
    },
    headersFor({ hostname, protocol }) {
      const own = [...kept.values()].filter(
        ({ host, isSecure }) => host === hostname && (!isSecure || protocol === 'https:'),
      );
      return own.length === 0 ? {} : { cookie: own.map(({ pair }) => pair).join('; ') };
    },
  };
}

/** Returns whether a cookie is taken back by a date of the first years, as servers write it. */
function isPast(attributes: readonly string[]): boolean {
  return attributes.some((one) => /^expires=.*\b19[67]\d\b/i.test(one));
}
