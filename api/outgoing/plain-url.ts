/**
 * Reads addresses of websites and calendar feeds: unlike an integration's, they may be plain HTTP and carry a query.
 */
import { isIP } from 'node:net';
import { type Reason, reasonOf } from '../../reasons/reason.ts';
import { checkHost, isHomeAddress } from './public-address.ts';

const maxUrlLength = 2000;

/** Reads such an address, or says why it is none. The host that it leads to is judged when it is asked (T-02). */
export function readPlainUrl(raw: unknown): URL | Reason {
  if (typeof raw !== 'string' || raw === '') return reasonOf('address-missing');
  if (raw.length > maxUrlLength) return reasonOf('address-too-long', { most: maxUrlLength });
  // Control characters and spaces vanish in the parser and would hide what was written.
  if (!/^[\x21-\x7e]+$/.test(raw)) return reasonOf('address-not-ascii');
  if (!/^https?:\/\//i.test(raw)) return reasonOf('address-not-http');
  if (!URL.canParse(raw)) return reasonOf('address-unreadable');
  const url = new URL(raw);
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
