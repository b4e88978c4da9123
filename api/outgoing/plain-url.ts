/**
 * Reads addresses of websites and calendar feeds: unlike an integration's, they may be plain HTTP and carry a query.
 */
import { checkHost } from './public-address.ts';

const maxUrlLength = 2000;

/** What is said where no address was given. */
export const noAddress = 'there is no address';

/** Reads such an address, or says why it is none. The host that it leads to is judged when it is asked (T-02). */
export function readPlainUrl(raw: unknown): URL | string {
  if (typeof raw !== 'string' || raw === '') return noAddress;
  if (raw.length > maxUrlLength) return `the address is longer than ${maxUrlLength} characters`;
  // Control characters and spaces vanish in the parser and would hide what was written.
  if (!/^[\x21-\x7e]+$/.test(raw)) return 'only printable ASCII is allowed in the address';
  if (!/^https?:\/\//i.test(raw)) return 'the address is not http: or https:';
  if (!URL.canParse(raw)) return 'the address cannot be read';
  const url = new URL(raw);
  return url.username === '' && url.password === '' ? url : 'the address must not carry a name and a password';
}

/**
 * Reads the address of a website. A host that is surely not public is refused before anything is opened, also where
 * integrations on loopback are admitted; names are judged again when they are resolved.
 */
export function readWebsiteUrl(raw: unknown): URL | string {
  const url = readPlainUrl(raw);
  if (typeof url === 'string') return url;
  const host = checkHost(url.hostname);
  return host.kind === 'refused' ? host.why : url;
}
