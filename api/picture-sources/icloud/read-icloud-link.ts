/** Reads the public link of an iCloud shared album, and finds out which of Apple's two wires it belongs to (IC-1). */
import { type Reason, reasonOf } from '../../../reasons/reason.ts';
import { parseUrl } from '../../../runtime/read-address.ts';
import { readPlainUrl } from '../../outgoing/plain-url.ts';

/** A link: `stream` of albums made before iOS 26, `cloudkit` of those since. The token is a secret. */
export interface ICloudLink {
  readonly wire: 'stream' | 'cloudkit';
  readonly token: string;
}

const streamToken = /^[A-Za-z\d]{8,64}$/;
const albumToken = /^[\w-]{8,128}$/;

/** Returns whether a host belongs to iCloud: nothing else is asked, wherever an answer leads (IC-6). */
export const isICloudHost = (host: string): boolean => /(?:^|\.)icloud(?:-content)?\.com$/.test(host);

/** Reads an address that an answer names; undefined where it is not one of iCloud's. */
export function iCloudUrl(written: string): URL | undefined {
  const url = parseUrl(written);
  const isOurs = url?.protocol === 'https:' && url.port === '' && url.username === '' && url.password === '';
  return url !== undefined && isOurs && isICloudHost(url.hostname) ? url : undefined;
}

/** Reads where a redirect leads. */
export const readICloudRedirect = (written: string): URL | Reason =>
  iCloudUrl(written) ?? reasonOf('album-source-icloud-host');

/** Reads a pasted link. */
export function readICloudLink(text: string): ICloudLink | Reason {
  const written = text.trim();
  const url = readPlainUrl(/^https?:\/\//i.test(written) || written === '' ? written : `https://${written}`);
  if (!(url instanceof URL)) return url;
  const { hostname, pathname, hash } = url;
  if (!isICloudHost(hostname)) return reasonOf('album-source-not-icloud');
  const segments = pathname.split('/').filter((segment) => segment !== '');
  // Behind the token stands the picture that was open: `#TOKEN;PICTURE`.
  const [behind = ''] = hash.slice(1).split(/[;/?]/, 1);
  if (segments[0] === 'sharedalbum') {
    return streamToken.test(behind) ? { wire: 'stream', token: behind } : reasonOf('album-source-link-cut');
  }
  const [first, second, token = ''] = segments;
  if (first === 'shared' && second === 'album') {
    return albumToken.test(token) ? { wire: 'cloudkit', token } : reasonOf('album-source-link-cut');
  }
  return reasonOf('album-source-not-icloud');
}
