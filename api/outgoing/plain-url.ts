/**
 * Reads addresses of websites and calendar feeds: unlike an integration's, they may be plain HTTP and carry a query.
 */
import { isIP } from 'node:net';
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import { isLoginCut, parseUrl } from '../../runtime/read-address.ts';
import { checkHost, isHomeAddress } from './public-address.ts';

const maxUrlLength = 2000;

/**
 * Reads such an address, as people copy it: with umlauts, and with spaces, which are left out around it and encoded within.
 * Returns the reason for one that cannot be used. The host that it leads to is judged when it is asked (T-02).
 */
export function readPlainUrl(raw: unknown): URL | Reason {
  if (typeof raw !== 'string' || raw.trim() === '') return reasonOf('address-missing');
  const written = raw.trim();
  if (written.length > maxUrlLength) return reasonOf('address-too-long', { most: maxUrlLength });
  // Control characters and invisible ones vanish in the parser, or hide what was written.
  if (/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u.test(written)) return reasonOf('address-not-ascii');
  if (!/^https?:\/\//i.test(written)) return reasonOf('address-not-http');
  if (isLoginCut(written)) return reasonOf('address-holds-password');
  const url = parseUrl(written);
  if (url === undefined) return reasonOf('address-unreadable');
  if (url.href.length > 3 * maxUrlLength) return reasonOf('address-too-long', { most: maxUrlLength });
  return url.username === '' && url.password === '' ? url : reasonOf('address-holds-password');
}

/**
 * Reads the address of a website. A host that nobody may ask for is refused before anything is opened, also where
 * integrations on loopback are admitted. Hosts that may be of the home network, and names, are judged when they
 * are asked (T-91).
 */
export function readWebsiteUrl(raw: unknown): URL | Reason {
  const url = readPlainUrl(raw);
  if (!(url instanceof URL)) return url;
  const host = checkHost(url.hostname);
  if (host.kind !== 'refused') return url;
  const plain = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(plain) !== 0) return isHomeAddress(plain) ? url : host.why;
  return /^(?:.+\.)?localhost\.?$|\.onion\.?$/.test(plain) || host.why.code === 'host-name-too-long' ? host.why : url;
}
